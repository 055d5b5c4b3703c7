/** Defines the parts of the data that a user's pages need offline, and reads them. */
import { getCompany, getSettings, getUser } from '#contract/accounts.ts'
import { listAppHistory, listApps } from '#contract/staff/apps.ts'
import { listTrailAlarms } from '#contract/audit-trail.ts'
import { getBackupPlan, getTraffic, listBackupOrders, listBackups, listTraffic } from '#contract/backups.ts'
import { listInvoices } from '#contract/invoices.ts'
import { listModuleChoices, listModules } from '#contract/modules.ts'
import { getContractHistory, listOrders, type OrderRow } from '#contract/orders.ts'
import { listPaymentTasks } from '#contract/payments.ts'
import { getPriceInForce, getPriceList, listPriceLists, type PriceRow } from '#contract/prices.ts'
import { readCredit } from '#contract/invoices.ts'
import { listBankTransfers } from '#contract/staff/bank-transfers.ts'
import { readMoneyOverview } from '#contract/staff/money.ts'
import { listRefunds, readMoneyCheck } from '#contract/staff/refunds.ts'
import { listPriceListUses } from '#contract/staff/withdrawn-price-lists.ts'
import { listServices, type ServiceRow } from '#contract/services.ts'
import { listUsers } from '#contract/users.ts'
import { type Caller, type ClientType, clientTypes, isDeleteLevel, isAllowed, type AccessRule } from '#domain/access.ts'
import { type PreparationPartName, preparationPartNames } from '#local/storage/preparation-record.ts'
import { notAttemptedProblem, type PartReader, type PreparedRow } from '#request/preparation/part-reader.ts'
import type { VersionedRow } from '#contract/endpoint.ts'

type ReadPart = (reader: PartReader, caller: Caller) => Promise<void>

const hourMs = 3_600_000
/** Maximum age of a stored contract history. A history changes only with the rows of its contract, except for its time-dependent texts. */
const historyMaxAgeMs = 7 * 24 * hourMs
/** Maximum age of stored backup data. The nightly backup does not change the row of its service, so an age is needed. */
const backupMaxAgeMs = 12 * hourMs
/** Maximum number of contracts and services whose details are fetched, latest first. Each one needs requests of its own. */
const maxContracts = 1_000
const maxServices = 200

const getClientTypes = (caller: Caller): readonly ClientType[] => (isDeleteLevel(caller) ? clientTypes : ['saas'])

const parts: Record<Exclude<PreparationPartName, 'trail'>, { access: AccessRule; read: ReadPart }> = {
  account: {
    access: 'user',
    read: async (reader, caller) => {
      await reader.readResponse(getSettings, {})
      await reader.readResponse(getUser, {})
      if (isAllowed('admin', caller)) await reader.readResponse(getCompany, { params: { id: caller.companyId } })
      if (!isAllowed('providerAdmin', caller)) return
      await reader.readResponse(listPaymentTasks, {})
      await reader.readResponse(listRefunds, {})
      await reader.readResponse(readMoneyCheck, {})
      await reader.readResponse(listTrailAlarms, {})
      if (!isAllowed('orderingProviderAdmin', caller)) return
      await reader.readResponse(readMoneyOverview, {})
      await reader.readResponse(listBankTransfers, {})
    },
  },
  contracts: {
    access: 'order',
    read: async (reader, { companyId }) => {
      await reader.readList(listInvoices, companyId)
      await reader.readResponse(readCredit, { query: {} })
      const rows = await reader.readList<OrderRow>(listOrders, companyId)
      const changedAt = new Map<number, number>()
      for (const { row, asOf } of rows) {
        const id = row.contract_id
        if (id > 0) changedAt.set(id, Math.max(asOf, changedAt.get(id) ?? 0))
      }
      const contracts = [...changedAt].sort(([a], [b]) => b - a)
      await forEachDetail(reader, contracts, maxContracts, ([id, asOf]) =>
        reader.readResponse(getContractHistory, { params: { id } }, { changedAt: asOf, maxAgeMs: historyMaxAgeMs }),
      )
    },
  },
  prices: {
    access: 'orderOrProviderAdmin',
    read: async (reader, caller) => {
      for (const type of getClientTypes(caller)) {
        await reader.readResponse(getPriceInForce, { query: { type } })
        await reader.readResponse(listModuleChoices, { query: { type } })
      }
    },
  },
  services: {
    access: 'orderOrProviderAdmin',
    read: async (reader) => void (await reader.readList(listServices, null)),
  },
  backups: {
    access: 'orderOrProviderAdmin',
    read: async (reader, caller) => {
      const rows = sortNewestFirst(await reader.readList<ServiceRow>(listServices, null))
      await forEachDetail(reader, rows, maxServices, async ({ row, asOf }) => {
        const freshness = { changedAt: asOf, maxAgeMs: backupMaxAgeMs }
        const serviceId = Number(row.id)
        const input = { params: { serviceId } }
        await reader.readDetailList(listBackups, serviceId, freshness)
        await reader.readResponse(getBackupPlan, input, freshness)
        if (!isAllowed('order', caller)) return
        await reader.readDetailList(listBackupOrders, serviceId, freshness)
        await reader.readDetailList(listTraffic, serviceId, freshness)
        await reader.readResponse(getTraffic, input, freshness)
      })
    },
  },
  users: {
    access: 'admin',
    read: async (reader, { companyId }) => void (await reader.readList(listUsers, companyId)),
  },
  priceLists: {
    access: 'providerAdmin',
    read: async (reader, caller) => {
      const rows = sortNewestFirst(await reader.readList<PriceRow>(listPriceLists, null))
      await forEachDetail(reader, rows, maxContracts, ({ row, asOf }) =>
        reader.readResponse(
          getPriceList,
          { params: { id: row.id } },
          { changedAt: asOf, maxAgeMs: Number.POSITIVE_INFINITY },
        ),
      )
      for (const type of getClientTypes(caller)) await reader.readResponse(listPriceListUses, { query: { type } })
    },
  },
  modules: {
    access: 'providerAdmin',
    read: async (reader) => {
      await reader.readList(listModules, null)
      await reader.readList(listApps, null)
    },
  },
  apps: {
    access: 'providerAdmin',
    read: async (reader) => void (await reader.readList(listAppHistory, null)),
  },
}

const sortNewestFirst = <R extends VersionedRow>(rows: PreparedRow<R>[]) =>
  rows.sort((a, b) => Number(b.row.id) - Number(a.row.id))

async function forEachDetail<T>(
  reader: PartReader,
  items: readonly T[],
  maxItems: number,
  read: (item: T) => Promise<void>,
): Promise<void> {
  const count = Math.min(items.length, maxItems)
  for (const [index, item] of items.slice(0, count).entries()) {
    reader.onProgress(index, count)
    await read(item)
  }
  reader.onProgress(count, count)
  if (items.length > count) reader.noteProblem(notAttemptedProblem, items.length - count)
}

export const getPartNames = (caller: Caller): PreparationPartName[] =>
  preparationPartNames.filter((name) => isAllowed(name === 'trail' ? 'trail' : parts[name].access, caller))

export async function readPart(
  name: PreparationPartName,
  reader: PartReader,
  caller: Caller,
  requireSpace: (bytes: number) => Promise<void>,
): Promise<void> {
  if (name !== 'trail') return await parts[name].read(reader, caller)
  // Only users who may read a trail have the code that stores it.
  await (await import(/* chunk: trail-device */ '#request/preparation/prepare-trail.ts')).prepareTrail(
    reader,
    requireSpace,
  )
}
