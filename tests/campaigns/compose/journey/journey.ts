/** The journey of a new installation in Chromium: first administrator, catalogue, order, pay, service, backup, restore. */
import {
  addItem,
  backUp,
  createService,
  enterService,
  orderBackups,
  orderContract,
  readItems,
  restore,
  signUp,
} from '#tests/campaigns/compose/journey/customer.ts'
import { createCatalogue, payForCustomer, startAsProvider } from '#tests/campaigns/compose/journey/provider.ts'
import type { JourneySite } from '#tests/campaigns/compose/journey/screen.ts'

interface JourneyStart {
  /** The link that the portal prints at its first start. */
  firstLink: string
  /** PROVIDER_EMAIL and TIME_ZONE of the installation. */
  providerEmail: string
  timeZone: string
}

/** Throws at the first step that does not work. Returns the pages and the service's password for further checks. */
export async function runJourney(site: JourneySite, { firstLink, providerEmail, timeZone }: JourneyStart) {
  const staff = await startAsProvider(site, firstLink, providerEmail)
  const today = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date())
  await createCatalogue(site, staff, today)

  const customer = await signUp(site)
  const contractPath = await orderContract(site, customer)
  await payForCustomer(site, staff, contractPath)
  site.report('the order was paid')

  const servicePassword = await createService(site, customer, contractPath)
  const service = await enterService(site, customer, servicePassword)
  await addItem(service, 'X-1', 'A thing to keep')
  site.report('the service was opened and has data')

  await orderBackups(site, customer, contractPath)
  await payForCustomer(site, staff, `${contractPath}?tab=subscribe`)
  await backUp(site, customer, contractPath)

  await addItem(service, 'X-2', 'Written after the backup')
  await service.close()
  await restore(site, customer, contractPath)
  const restored = await enterService(site, customer, servicePassword)
  const items = await readItems(restored)
  if (!items.includes('A thing to keep') || items.includes('Written after the backup'))
    throw new Error(`the service does not have the data of the backup:\n${items}`)
  site.report('the service has the data of the backup again')
  return { staff, customer, service: restored, servicePassword, contractPath }
}
