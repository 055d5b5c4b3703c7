/**
 * Reads the apps of a service: the newest version of every app in the contract's modules, both the chosen modules and those that join
 * automatically (D5).
 */
import { filterJoiningModules } from '#domain/catalogue/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { listInstallableApps } from '#server/db/catalogue/apps.ts'
import { listModulesOfType } from '#server/db/catalogue/modules.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { InstanceApp } from '#server/drivers/hosting/hosting-driver.ts'

/** An app of a service. `sha256` names its package; null if the app was published before packages were stored. */
export type RunningApp = Omit<InstanceApp, 'package'> & { sha256: string | null }

export async function readRunningApps(
  db: DatabaseHandle,
  { modules, clientType }: { modules: readonly string[]; clientType: ClientType },
): Promise<RunningApp[]> {
  const allModules = await listModulesOfType(db, clientType)
  const hiddenModules = allModules.filter((module) => module.hidden)
  const chosenModules = allModules.filter((module) => !module.hidden && modules.includes(module.code))
  const publishedByCode = new Map(
    (await listInstallableApps(db)).map((installableApp) => [installableApp.code, installableApp]),
  )
  const appsByCode = new Map<string, RunningApp>()
  for (const module of [...chosenModules, ...filterJoiningModules(hiddenModules, modules)])
    for (const { code, flag } of module.apps) {
      const version = publishedByCode.get(code)
      if (!version || appsByCode.has(code)) continue
      const defaultFlags = Object.fromEntries(
        version.flags.map(({ key, default: defaultValue }) => [key, defaultValue]),
      )
      appsByCode.set(code, {
        code,
        name: version.name,
        version: version.version,
        module: module.code,
        flags: { ...defaultFlags, ...flag },
        sha256: version.sha256,
      })
    }
  return [...appsByCode.values()]
}
