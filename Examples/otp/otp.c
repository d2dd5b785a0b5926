/* otp: a name, a password and a one-time code, for gateways whose user directory takes password and code in one, as FreeIPA,
 * privacyIDEA and most RADIUS servers do. What is typed goes from the person to the host and from the host to the gateway; this
 * code holds handles, and joins them.
 *
 * A code is good once, so nothing is kept that could sign in again: there is no refresh. */
#include "mfs_gateway.h"
#include "mfs_plugin.h"
#include "mfs_strategy.h"
#include "mfs_strategy_fingerprint.h"

/* Password and code in one, in the order and with the separator of the settings. */
static int join_factors(const mfs_plugin_t *plugin, mfs_secret_t password, mfs_secret_t code, mfs_secret_t *joined) {
    char separator[16], place[16];
    if (!mfs_setting(plugin, "EXPO_PUBLIC_OTP_SEPARATOR", "", separator, sizeof separator)) return 0;
    if (!mfs_setting(plugin, "EXPO_PUBLIC_OTP_PLACE", "after", place, sizeof place)) return 0;
    int is_before = strcmp(place, "before") == 0;
    if (!is_before && strcmp(place, "after") != 0)
        return mfs_fail(plugin, MFS_REASON_BAD_SETTINGS, "EXPO_PUBLIC_OTP_PLACE is neither 'after' nor 'before'.");
    mfs_pair_t parts[] = {mfs_secret_pair("first", is_before ? code : password), mfs_text_pair("separator", separator),
                          mfs_secret_pair("second", is_before ? password : code)};
    return mfs_join(plugin, parts, 3, joined);
}

static void login(const mfs_host_t *host, const mfs_call_t *call, const mfs_sink_t *sink) {
    mfs_plugin_t plugin = {host, call, sink};
    char identifier[256];
    mfs_secret_t password, code, joined, authorization;
    mfs_session_t session;
    if (!mfs_identifier(&plugin, "User name", identifier, sizeof identifier)) return;
    if (!mfs_ask_secret(&plugin, "Password", &password)) return;
    if (!mfs_ask_secret(&plugin, "One-time code", &code)) return;
    if (!join_factors(&plugin, password, code, &joined)) return;
    if (!mfs_basic(&plugin, mfs_text_pair("identifier", identifier), joined, &authorization)) return;
    if (!mfs_open_session(&plugin, authorization, &session)) return;
    mfs_pair_t fields[5] = {mfs_text_pair("identifier", identifier)};
    mfs_succeed(&plugin, fields, 1 + mfs_session_fields(&session, fields + 1));
}

static void logout(const mfs_host_t *host, const mfs_call_t *call, const mfs_sink_t *sink) {
    mfs_plugin_t plugin = {host, call, sink};
    mfs_close_session(&plugin);
}

#define TEXT(literal) {(const uint8_t *)(literal), sizeof(literal) - 1}

static const mfs_strategy_t table = {
    .struct_size = sizeof table,
    .abi_version = MFS_STRATEGY_ABI_VERSION,
    .name = TEXT("otp"),
    .version = TEXT("1.0.0"),
    .header = TEXT(MFS_STRATEGY_FINGERPRINT),
    .login = login,
    .logout = logout,
};

MFS_EXPORT const mfs_strategy_t *mfs_strategy_entry(uint32_t newest_version) {
    return newest_version >= MFS_STRATEGY_ABI_VERSION ? &table : NULL;
}
