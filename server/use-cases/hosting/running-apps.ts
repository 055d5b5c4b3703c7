/** What runs in a service: the newest version of every app that its contract's modules hold, chosen and joined (D5). */
import { joined } from '#domain/catalogue/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { installableApps } from '#server/db/catalogue/apps.ts'
import { modulesOf } from '#server/db/catalogue/modules.ts'
import type { Handle } from '#server/db/handle.ts'
import type { AppContext } from '#server/context/context.ts'
import type { InstanceApp } from '#server/drivers/hosting/driver.ts'
import { keptPackage } from '#server/use-cases/uploads/kept-packages.ts'

/** An app that no version was published of is left out: there is nothing to install. */
export async function appsOf(
  db: Handle,
  app: AppContext,
  { modules, clientType }: { modules: readonly string[]; clientType: ClientType },
): Promise<InstanceApp[]> {
  const catalogue = await modulesOf(db, clientType)
  const hidden = catalogue.filter((one) => one.hidden)
  const chosen = catalogue.filter((one) => !one.hidden && modules.includes(one.code))
  const published = new Map((await installableApps(db)).map((one) => [one.code, one]))
  const found = new Map<string, InstanceApp>()
  for (const module of [...chosen, ...joined(hidden, modules)])
    for (const { code, flag } of module.apps) {
      const version = published.get(code)
      if (!version || found.has(code)) continue
      const known = Object.fromEntries(version.flags.map(({ key, default: usual }) => [key, usual]))
      found.set(code, {
        code,
        name: version.name,
        version: version.version,
        module: module.code,
        flags: { ...known, ...flag },
        package: await keptPackage(app, version.sha256),
      })
    }
  return [...found.values()]
}
