/** Sets up tests of service pages with a real host: Acme orders and uses services, and the provider's staff manage them. */
import { afterEach, beforeEach, expect } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

type ShopPagesOptions = NonNullable<Parameters<typeof setUpShopPages>[0]>
type HostingSettings = NonNullable<Parameters<typeof openLocalHosting>[0]>

/** Like `setUpShopPages`, with a new host for each test. */
export function setUpServicePages(options: ShopPagesOptions = {}, hostingSettings: HostingSettings = {}) {
  const fixture = setUpShopPages(options)
  const sessions = {} as { acme: SignedIn; staff: SignedIn }
  let host: LocalUnderTest
  beforeEach(async () => {
    host = openLocalHosting(hostingSettings)
    fixture.server.app.hosting = host.driver
    sessions.acme = await fixture.server.signIn('admin@acme')
    sessions.staff = await fixture.server.signIn('delete@m18')
  })
  afterEach(() => host.end())

  const fetchServices = async (): Promise<ServiceRow[]> =>
    (await sessions.staff.send({ url: '/api/aws/service?results=50' })).json().data
  async function fetchService(code: string): Promise<ServiceRow> {
    const match = (await fetchServices()).find((service) => service.code === code)
    if (!match) throw new Error(`there is no service ${code}`)
    return match
  }
  const buyContract = (code: string, fields = {}) =>
    buyOrder(fixture.server, sessions.acme, { code, name: `Test ${code}`, period_start: today(), ...fields })
  /** Runs the next hosting job once it is queued. Then sets the server's clock later than the times that the host wrote meanwhile. */
  async function runServerWork() {
    await expect.poll(() => runOneJob(fixture.server.app, hostingJobKinds), { interval: 50 }).toBeTruthy()
    fixture.server.clock.now = Date.now()
  }
  /** Creates the service on the host by requests, without a page. */
  async function createService(code: string): Promise<ServiceRow> {
    const { contract_id: contractId } = await buyContract(code)
    const response = await sessions.acme.send({ method: 'POST', url: `/api/aws/service?contractId=${contractId}` })
    expect(response.statusCode).toBe(202)
    await runServerWork()
    const service = await fetchService(code)
    expect(service).toMatchObject({ system_status: 2, online: 1, operation: null })
    return service
  }
  return { fixture, sessions, fetchServices, fetchService, buyContract, runServerWork, createService }
}
