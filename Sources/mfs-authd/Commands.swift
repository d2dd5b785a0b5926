internal import CommandLine

/// Every command of `mfs-authd`.
let rootCommand = CommandSpec(
  "mfs-authd", "the mobile auth backend: OAuth 2.1 with PKCE for native apps",
  everywhere: [
    .value("config", .file(), "the configuration file (default: MFS_AUTHD_CONFIG, else the environment alone)"),
    .flag("json", "print one JSON document, and errors as JSON"),
    .flag("no-color", "print without colour"),
    .flag("quiet", "print results and errors only"),
    .flag("verbose", "say more about what is done"),
    .flag("help", short: "h", "print this help"),
    .flag("version", "print the version"),
  ],
  subcommands: [
    initCommand, serveCommand, configCommand, userCommand, clientCommand, resourceCommand, deviceCommand, familyCommand,
    keyCommand, pepperCommand, auditCommand, migrateCommand, backupCommand, afterRestoreCommand,
  ])

/// What runs them.
func handlers() -> [String: Program.Handler] {
  [
    "init": runInit, "serve": runServe, "config check": runConfigCheck, "config docs": runConfigDocs,
    "user add": runUserAdd, "user set": runUserSet, "user list": runUserList, "user disable": runUserDisable,
    "user enable": runUserEnable, "user show": runUserShow, "user unlink": runUserUnlink,
    "user password": runUserPassword, "client add": runClientAdd, "client list": runClientList,
    "client remove": runClientRemove, "client import": runClientImport, "resource add": runResourceAdd,
    "resource list": runResourceList, "resource remove": runResourceRemove, "device list": runDeviceList,
    "device remove": runDeviceRemove, "family list": runFamilyList, "family revoke": runFamilyRevoke,
    "key list": runKeyList, "key rotate": runKeyRotate, "key retire": runKeyRetire, "pepper list": runPepperList,
    "pepper rotate": runPepperRotate, "pepper retire": runPepperRetire, "audit show": runAuditShow,
    "audit verify": runAuditVerify, "migrate": runMigrate, "backup": runBackup, "after-restore": runAfterRestore,
  ]
}
