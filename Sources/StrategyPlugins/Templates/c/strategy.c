/* mystrategy: a name and a password, exchanged for a session of the gateway. The password goes from the person to the host and
 * from the host to the gateway; this code holds a handle. */
#include "mfs_gateway.h"
#include "mfs_plugin.h"
#include "mfs_strategy.h"
#include "mfs_strategy_fingerprint.h"

static void login(const mfs_host_t *host, const mfs_call_t *call, const mfs_sink_t *sink) {
    mfs_plugin_t plugin = {host, call, sink};
    char question[128], identifier[256];
    mfs_secret_t password, authorization;
    mfs_session_t session;
    if (!mfs_setting(&plugin, "EXPO_PUBLIC_MYSTRATEGY_QUESTION", "User name", question, sizeof question)) return;
    if (!mfs_identifier(&plugin, question, identifier, sizeof identifier)) return;
    if (!mfs_ask_secret(&plugin, "Password", &password)) return;
    if (!mfs_basic(&plugin, mfs_text_pair("identifier", identifier), password, &authorization)) return;
    if (!mfs_open_session(&plugin, authorization, &session)) return;
    mfs_pair_t fields[6] = {mfs_text_pair("identifier", identifier), mfs_secret_pair("password", password)};
    mfs_succeed(&plugin, fields, 2 + mfs_session_fields(&session, fields + 2));
}

static void refresh(const mfs_host_t *host, const mfs_call_t *call, const mfs_sink_t *sink) {
    mfs_plugin_t plugin = {host, call, sink};
    mfs_secret_t identifier, password, authorization;
    mfs_session_t session;
    mfs_pair_t fields[4];
    if (!mfs_stored(&plugin, "auth.identifier", &identifier) || !mfs_stored(&plugin, "auth.password", &password)) return;
    if (!identifier || !password) {
        mfs_fail(&plugin, MFS_REASON_INTERACTION_NEEDED, "No password is stored; signing in again is the only way.");
        return;
    }
    if (!mfs_basic(&plugin, mfs_secret_pair("identifier", identifier), password, &authorization)) return;
    if (!mfs_open_session(&plugin, authorization, &session)) return;
    mfs_succeed(&plugin, fields, mfs_session_fields(&session, fields));
}

static void logout(const mfs_host_t *host, const mfs_call_t *call, const mfs_sink_t *sink) {
    mfs_plugin_t plugin = {host, call, sink};
    mfs_close_session(&plugin);
}

#define TEXT(literal) {(const uint8_t *)(literal), sizeof(literal) - 1}

static const mfs_strategy_t table = {
    .struct_size = sizeof table,
    .abi_version = MFS_STRATEGY_ABI_VERSION,
    .name = TEXT("mystrategy"),
    .version = TEXT("0.1.0"),
    .header = TEXT(MFS_STRATEGY_FINGERPRINT),
    .login = login,
    .refresh = refresh,
    .logout = logout,
};

MFS_EXPORT const mfs_strategy_t *mfs_strategy_entry(uint32_t newest_version) {
    return newest_version >= MFS_STRATEGY_ABI_VERSION ? &table : NULL;
}
