// libsecret as Swift can call it: helpers for what is variadic or a macro in GLib (building variants and hash tables), and
// a deadline, because libsecret's own calls have none. Nothing here decides anything about vaults.
#ifndef MFS_CSECRET_H
#define MFS_CSECRET_H

#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>

// A string-to-string table for attributes; it owns copies of what is put in.
static inline GHashTable *mfs_strings_new(void) {
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static inline void mfs_strings_set(GHashTable *table, const char *name, const char *value) {
    g_hash_table_insert(table, g_strdup(name), g_strdup(value));
}

// The D-Bus properties of an item with this label and these attributes.
static inline GHashTable *mfs_item_properties(const char *label, GHashTable *attributes) {
    GHashTable *properties =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_variant_unref);
    GVariantBuilder builder;
    GHashTableIter iter;
    gpointer name, value;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("a{ss}"));
    g_hash_table_iter_init(&iter, attributes);
    while (g_hash_table_iter_next(&iter, &name, &value))
        g_variant_builder_add(&builder, "{ss}", (const char *)name, (const char *)value);
    g_hash_table_insert(properties, (gpointer) "org.freedesktop.Secret.Item.Attributes",
                        g_variant_ref_sink(g_variant_builder_end(&builder)));
    g_hash_table_insert(properties, (gpointer) "org.freedesktop.Secret.Item.Label",
                        g_variant_ref_sink(g_variant_new_string(label)));
    return properties;
}

typedef struct {
    GDBusConnection *bus;
    GError *error;
    gboolean done;
} mfs_bus_answer;

static void mfs_bus_answered(GObject *source, GAsyncResult *result, gpointer data) {
    mfs_bus_answer *answer = (mfs_bus_answer *)data;
    (void)source;
    answer->bus = g_bus_get_finish(result, &answer->error);
    answer->done = TRUE;
}

static gboolean mfs_bus_late(gpointer data) {
    *(gboolean *)data = TRUE;
    return G_SOURCE_REMOVE;
}

// The session bus, or G_IO_ERROR_TIMED_OUT. g_bus_get_sync waits 25 s for a bus that does not answer, whatever its
// cancellable says; here the wait is left behind, with the little that it holds.
static inline GDBusConnection *mfs_session_bus(int milliseconds, GError **error) {
    mfs_bus_answer *answer = g_new0(mfs_bus_answer, 1);
    GMainContext *context = g_main_context_new();
    GSource *timer = g_timeout_source_new((guint)milliseconds);
    GDBusConnection *bus = NULL;
    gboolean late = FALSE;
    g_source_set_callback(timer, mfs_bus_late, &late, NULL);
    g_source_attach(timer, context);
    g_main_context_push_thread_default(context);
    g_bus_get(G_BUS_TYPE_SESSION, NULL, mfs_bus_answered, answer);
    while (!answer->done && !late) g_main_context_iteration(context, TRUE);
    g_main_context_pop_thread_default(context);
    g_source_destroy(timer);
    g_source_unref(timer);
    g_main_context_unref(context);
    if (!answer->done) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "no answer");
        return NULL;
    }
    bus = answer->bus;
    if (answer->error != NULL) g_propagate_error(error, answer->error);
    g_free(answer);
    return bus;
}

// The object path that an alias of the Secret Service stands for ("/" for none); g_free it. Starts the provider.
static inline gchar *mfs_read_alias(GDBusConnection *bus, const char *alias, int milliseconds,
                                    GCancellable *cancellable, GError **error) {
    gchar *path = NULL;
    GVariant *reply = g_dbus_connection_call_sync(
        bus, "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "ReadAlias",
        g_variant_new("(s)", alias), G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NONE, milliseconds, cancellable, error);
    if (reply == NULL) return NULL;
    g_variant_get(reply, "(o)", &path);
    g_variant_unref(reply);
    return path;
}

// The Locked property of a collection: 1, 0, or -1 with an error.
static inline int mfs_is_locked(GDBusConnection *bus, const char *collection, int milliseconds,
                                GCancellable *cancellable, GError **error) {
    GVariant *value = NULL;
    int locked;
    GVariant *reply = g_dbus_connection_call_sync(
        bus, "org.freedesktop.secrets", collection, "org.freedesktop.DBus.Properties", "Get",
        g_variant_new("(ss)", "org.freedesktop.Secret.Collection", "Locked"), G_VARIANT_TYPE("(v)"),
        G_DBUS_CALL_FLAGS_NONE, milliseconds, cancellable, error);
    if (reply == NULL) return -1;
    g_variant_get(reply, "(v)", &value);
    // A provider that answers with anything but a boolean is taken at its worst.
    locked = !g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN) || g_variant_get_boolean(value);
    g_variant_unref(value);
    g_variant_unref(reply);
    return locked;
}

// One attribute of an item; g_free it. NULL without an error when the item does not have it.
static inline gchar *mfs_item_attribute(GDBusConnection *bus, const char *item, const char *name, int milliseconds,
                                        GCancellable *cancellable, GError **error) {
    GVariant *value = NULL;
    gchar *text = NULL;
    GVariant *reply = g_dbus_connection_call_sync(
        bus, "org.freedesktop.secrets", item, "org.freedesktop.DBus.Properties", "Get",
        g_variant_new("(ss)", "org.freedesktop.Secret.Item", "Attributes"), G_VARIANT_TYPE("(v)"),
        G_DBUS_CALL_FLAGS_NONE, milliseconds, cancellable, error);
    if (reply == NULL) return NULL;
    g_variant_get(reply, "(v)", &value);
    if (g_variant_is_of_type(value, G_VARIANT_TYPE("a{ss}"))) g_variant_lookup(value, name, "s", &text);
    g_variant_unref(value);
    g_variant_unref(reply);
    return text;
}

// Cancels the call in progress when its time is over. One thread waits for all the calls of a connection.
typedef struct {
    GMutex mutex;
    GCond changed;
    GThread *thread;
    GCancellable *cancellable; // of the call in progress; NULL between calls
    gint64 end;                // on g_get_monotonic_time's clock
    gboolean expired, closing;
} mfs_deadline;

static gpointer mfs_deadline_run(gpointer data) {
    mfs_deadline *deadline = (mfs_deadline *)data;
    g_mutex_lock(&deadline->mutex);
    while (!deadline->closing) {
        if (deadline->cancellable == NULL || deadline->expired) {
            g_cond_wait(&deadline->changed, &deadline->mutex);
        } else if (!g_cond_wait_until(&deadline->changed, &deadline->mutex, deadline->end) &&
                   deadline->cancellable != NULL && g_get_monotonic_time() >= deadline->end) {
            GCancellable *late = (GCancellable *)g_object_ref(deadline->cancellable);
            deadline->expired = TRUE;
            // What it calls must be free to end the deadline.
            g_mutex_unlock(&deadline->mutex);
            g_cancellable_cancel(late);
            g_object_unref(late);
            g_mutex_lock(&deadline->mutex);
        }
    }
    g_mutex_unlock(&deadline->mutex);
    return NULL;
}

static inline mfs_deadline *mfs_deadline_new(void) {
    mfs_deadline *deadline = g_new0(mfs_deadline, 1);
    g_mutex_init(&deadline->mutex);
    g_cond_init(&deadline->changed);
    deadline->thread = g_thread_new("deadline", mfs_deadline_run, deadline);
    return deadline;
}

// Begins the time of one call and returns the cancellable to give to it, which the deadline keeps.
static inline GCancellable *mfs_deadline_begin(mfs_deadline *deadline, int milliseconds) {
    GCancellable *cancellable = g_cancellable_new();
    g_mutex_lock(&deadline->mutex);
    deadline->cancellable = cancellable;
    deadline->expired = FALSE;
    deadline->end = g_get_monotonic_time() + (gint64)milliseconds * 1000;
    g_cond_signal(&deadline->changed);
    g_mutex_unlock(&deadline->mutex);
    return cancellable;
}

// Ends it and says whether it ran out.
static inline gboolean mfs_deadline_end(mfs_deadline *deadline) {
    gboolean expired;
    g_mutex_lock(&deadline->mutex);
    expired = deadline->expired;
    g_object_unref(deadline->cancellable);
    deadline->cancellable = NULL;
    g_mutex_unlock(&deadline->mutex);
    return expired;
}

static inline void mfs_deadline_free(mfs_deadline *deadline) {
    g_mutex_lock(&deadline->mutex);
    deadline->closing = TRUE;
    g_cond_signal(&deadline->changed);
    g_mutex_unlock(&deadline->mutex);
    g_thread_join(deadline->thread);
    g_mutex_clear(&deadline->mutex);
    g_cond_clear(&deadline->changed);
    g_free(deadline);
}

#endif
