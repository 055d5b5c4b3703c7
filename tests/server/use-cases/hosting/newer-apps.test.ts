/** Tests how many apps of a service have a newer version, in its row and in the changes that devices read (decision 117). */
import { beforeEach, expect, it } from 'vitest'
import { replaceServiceApps } from '#server/db/catalogue/apps.ts'
import { listMonitoredServices, takeServiceChangeNumber, updateService } from '#server/db/hosting/services.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { onConnections } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { addVersions } from '#tests/support/uploads/app-versions.ts'

onConnections('newer apps of services', (engine) => {
  const fixture = setUpShop(engine)
  let alpha: SignedIn
  let staff: SignedIn
  beforeEach(async () => {
    const { server } = fixture
    alpha = await server.signIn('order@alpha')
    staff = await server.signIn('admin@m18')
    await buyOrder(server, alpha, { code: 'alpha1' })
    await buyOrder(server, await server.signIn('order@beta'), { code: 'beta1' })
    await addVersions(server, 'tracker', 'Tracker', '1.9')
    await addVersions(server, 'finance', 'Finance', '2.0')
    await setUp('alpha1', { tracker: '1.9', finance: '2.0' })
    await setUp('beta1', { finance: '2.0' })
  })

  const readServices = () => readAsSystem(fixture.server.app, listMonitoredServices)
  async function findService(code: string) {
    const service = (await readServices()).find((row) => row.code === code)
    if (!service) throw new Error(`there is no service ${code}`)
    return service
  }
  async function write(code: string, fields: Parameters<typeof updateService>[2], apps?: Record<string, string>) {
    const { id, company_id: companyId } = await findService(code)
    await writeAsSystem(fixture.server.app, async (db) => {
      await updateService(db, id, fields, fixture.server.clock.now)
      if (apps) await replaceServiceApps(db, { id, companyId }, new Map(Object.entries(apps)))
    })
  }
  const setUp = (code: string, apps: Record<string, string>) => write(code, { system_status: 2, online: 1 }, apps)
  const list = async (caller: SignedIn, query = '') => {
    const response = await caller.send({ url: `/api/aws/service${query}` })
    return { change: String(response.headers['x-change']), ...response.json() }
  }
  const toNumbers = (rows: ServiceResponse[]) =>
    Object.fromEntries(rows.map(({ code, newer_apps: newerApps }) => [code, newerApps]))

  it('counts the installed apps with a later version, for the customer and for staff', async () => {
    expect(toNumbers((await list(staff)).data)).toEqual({ alpha1: 0, beta1: 0 })
    // 1.10 is later than 1.9, although it is less as text.
    await addVersions(fixture.server, 'tracker', 'Tracker', '1.10', '1.11')
    await addVersions(fixture.server, 'finance', 'Finance', '2.1')
    await addVersions(fixture.server, 'other', 'Not installed', '1.0')
    expect(toNumbers((await list(alpha)).data)).toEqual({ alpha1: 2 })
    expect(toNumbers((await list(staff)).data)).toEqual({ alpha1: 2, beta1: 1 })
    await setUp('alpha1', { tracker: '1.11', finance: '2.0' })
    expect(toNumbers((await list(staff)).data)).toEqual({ alpha1: 1, beta1: 1 })
  })

  it('filters the services that can be updated', async () => {
    await addVersions(fixture.server, 'tracker', 'Tracker', '1.10')
    expect(toNumbers((await list(staff, '?minNewerApps=1')).data)).toEqual({ alpha1: 1 })
    expect((await list(staff, '?minNewerApps=2')).count).toBe(0)
    expect((await staff.send({ url: '/api/aws/service?minNewerApps=1e99' })).statusCode).toBe(400)
    expect((await list(await fixture.server.signIn('order@beta'), '?minNewerApps=1')).count).toBe(0)
  })

  it('gives devices the rows of the services with the app again, with a higher version', async () => {
    const before = await list(staff)
    await addVersions(fixture.server, 'tracker', 'Tracker', '1.10')
    const after = await list(staff, `?since=${before.change}`)
    expect(toNumbers(after.changed)).toEqual({ alpha1: 1 })
    const [row] = before.data as ServiceResponse[]
    expect(after.changed[0].row_version).toBeGreaterThan(row?.row_version ?? 0)
    expect((await list(staff, `?since=${after.upto}`)).changed).toEqual([])
    expect(toNumbers((await list(alpha, `?since=${before.change}`)).changed)).toEqual({ alpha1: 1 })
  })

  it('writes no service when an app is published', async () => {
    const before = await readServices()
    await addVersions(fixture.server, 'finance', 'Finance', '2.1')
    expect(await readServices()).toEqual(before)
    expect(toNumbers((await list(staff)).data)).toEqual({ alpha1: 1, beta1: 1 })
  })

  it('counts nothing for a service that cannot be updated', async () => {
    await addVersions(fixture.server, 'finance', 'Finance', '2.1')
    await write('alpha1', { is_expired: true })
    await write('beta1', { system_status: 0 })
    expect(toNumbers((await list(staff)).data)).toEqual({ alpha1: 0, beta1: 0 })
  })

  it('reports a service that gets the previous version while a new one is published', async () => {
    const { app } = fixture.server
    const { id, company_id: companyId } = await findService('beta1')
    let publication = Promise.resolve<unknown>(undefined)
    await writeAsSystem(app, async (db) => {
      await takeServiceChangeNumber(db)
      // The publication waits for the counter, so its number is higher than that of the service.
      publication = addVersions(fixture.server, 'tracker', 'Tracker', '1.10')
      publication.catch(() => undefined)
      await updateService(db, id, { system_status: 2 }, 1)
      await replaceServiceApps(db, { id, companyId }, new Map([['tracker', '1.9']]))
    })
    const { change } = await list(staff)
    await publication
    const { changed } = await list(staff, `?since=${change}`)
    const rows = changed.length > 0 ? changed : (await list(staff)).data
    expect(toNumbers(rows)).toMatchObject({ beta1: 1 })
  })
})
