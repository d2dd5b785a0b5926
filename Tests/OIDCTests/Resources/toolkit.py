#!/usr/bin/env python3
"""Runs django-oauth-toolkit as a public client's provider on a free port, and prints it.

toolkit.py FOLDER REDIRECT PASSWORD
Its user is alice, its client mfs; the issuer is http://127.0.0.1:PORT/o.
"""
import os
import subprocess
import sys
import threading

folder, redirect, password = sys.argv[1:4]
os.makedirs(folder)
subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", f"{folder}/key.pem"],
               check=True, stderr=subprocess.DEVNULL)

import django
from django.conf import settings

settings.configure(
    SECRET_KEY=os.urandom(32).hex(), ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", LOGIN_URL="/login/", LOGGING_CONFIG=None,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
                    "django.contrib.messages", "oauth2_provider"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
        "context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                               "django.contrib.messages.context_processors.messages"]}}],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/db.sqlite3",
                           "OPTIONS": {"timeout": 20}}},
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": open(f"{folder}/key.pem").read(), "PKCE_REQUIRED": True,
        "SCOPES": {"openid": "who you are", "email": "your address", "profile": "your name"},
        "ACCESS_TOKEN_EXPIRE_SECONDS": 60, "ID_TOKEN_EXPIRE_SECONDS": 600, "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0, "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True, "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"]})
django.setup()

from django.contrib.auth import authenticate, login
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.models import Application


@csrf_exempt
def sign_in(request):
    if request.method == "GET":
        return HttpResponse(
            "<!doctype html><title>Sign in</title><form method=post><input name=\"username\"><input name=\"password\" "
            "type=\"password\"><button>Sign in</button></form>")
    user = authenticate(request, username=request.POST.get("username"), password=request.POST.get("password"))
    if not user:
        return HttpResponse("no", status=401)
    login(request, user)
    return HttpResponseRedirect(request.GET.get("next", "/"))


urlpatterns = [path("login/", sign_in), path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]
call_command("migrate", verbosity=0)
user = User.objects.create(username="alice", email="alice@example.com")
user.set_password(password)
user.save()
Application.objects.create(
    client_id="mfs", name="mfs", client_type="public", authorization_grant_type="authorization-code", algorithm="RS256",
    skip_authorization=True, redirect_uris=redirect, post_logout_redirect_uris=redirect)

from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


server = make_server("127.0.0.1", 0, get_wsgi_application(), Threaded, Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
