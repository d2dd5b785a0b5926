"""A certificate authority of our own that stands where Apple's stands, good or hostile in one way at a time."""
import datetime
import os

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# A test whose server has the clock of this machine says what time it is.
NOW = int(os.environ.get("ATTESTATION_TIME", 1_800_000_000))
DAY = 86_400
NONCE_OID = x509.ObjectIdentifier("1.2.840.113635.100.8.2")


def moment(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def public_point(key):
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def usage(signs_certificates):
    return x509.KeyUsage(
        digital_signature=not signs_certificates, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, key_cert_sign=signs_certificates, crl_sign=signs_certificates,
        encipher_only=False, decipher_only=False)


def issue(subject, key, issuer, issuer_key, *, begins=NOW - 365 * DAY, ends=NOW + 365 * DAY, ca=True, path=None,
          constraints=True, may_sign=None, extensions=()):
    """A certificate; `issuer` is a name. Without `constraints` it has no basic constraints."""
    builder = (
        x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(moment(begins)).not_valid_after(moment(ends)))
    if constraints:
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=path), critical=True)
    builder = builder.add_extension(usage(ca if may_sign is None else may_sign), critical=True)
    for oid, value, critical in extensions:
        builder = builder.add_extension(x509.UnrecognizedExtension(oid, value), critical=critical)
    return builder.sign(issuer_key, hashes.SHA256())


class Authority:
    """A root and one intermediate below it."""

    def __init__(self, root_name="Test App Attest Root", intermediate_name="Test App Attest CA 1", intermediate_key=None,
                 **intermediate):
        self.root_key = ec.generate_private_key(ec.SECP384R1())
        self.root_name = root_name
        self.root = issue(root_name, self.root_key, root_name, self.root_key)
        self.below(intermediate_name, intermediate_key, **intermediate)

    def below(self, intermediate_name, key=None, **options):
        self.intermediate_name = intermediate_name
        self.intermediate_key = key or ec.generate_private_key(ec.SECP384R1())
        self.intermediate = issue(
            intermediate_name, self.intermediate_key, self.root_name, self.root_key, **options)

    def with_intermediate(self, key=None, **options):
        """The same root with another intermediate."""
        other = Authority.__new__(Authority)
        other.root_key, other.root_name, other.root = self.root_key, self.root_name, self.root
        other.below("Test App Attest CA 1", key, **options)
        return other

    def credential(self, key, nonce_extensions, signer=None, begins=NOW - DAY, ends=NOW + 2 * DAY, **options):
        return issue(
            "credential", key, self.intermediate_name, signer or self.intermediate_key, begins=begins, ends=ends,
            **{"ca": False, "extensions": nonce_extensions, **options})
