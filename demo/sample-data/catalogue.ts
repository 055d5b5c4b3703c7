import type { PriceContent } from '#domain/checks/price-checks.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { insertModule } from '#server/db/catalogue/modules.ts'
import { insertPriceList } from '#server/db/catalogue/price-lists.ts'
import { type StorePackage, loadApps } from '#demo/sample-data/apps.ts'

type CurrencyPrices = [hkd: string, usd: string, rmb: string]
const toPrices = ([hkd, usd, rmb]: CurrencyPrices) => ({ hkd, usd, rmb })
const toNamedPrices = <const Name extends string>(name: Name, [hkd, usd, rmb]: CurrencyPrices) =>
  ({ [`${name}_hkd`]: hkd, [`${name}_usd`]: usd, [`${name}_rmb`]: rmb }) as Record<
    `${Name}_${'hkd' | 'usd' | 'rmb'}`,
    string
  >

const visibleModules = [
  { code: 'core', name: 'Core', dependencies: [] },
  { code: 'fin', name: 'Finance', dependencies: ['core'] },
  { code: 'scm', name: 'Supply chain', dependencies: ['fin'] },
  { code: 'hr', name: 'Human resources', dependencies: ['core'] },
  { code: 'doc', name: 'Documents', dependencies: [] },
].map((module) => ({ ...module, hidden: false, conditions: [], apps: [] }))
const hiddenModules = [
  { code: 'base', name: 'Platform', conditions: ['core'], apps: ['framework'] },
  { code: 'stocktake', name: 'Stock taking', conditions: ['fin', 'scm'], apps: ['barcode'] },
].map((module) => ({ ...module, hidden: true, dependencies: [] }))

type PriceRange = [to: number, prices: CurrencyPrices]

interface DemoPriceList {
  effective: string
  desc: string
  uat: string
  cap: CurrencyPrices
  fee: CurrencyPrices
  concurrent: PriceRange[]
  modules: CurrencyPrices[]
}

const namedUserRanges: PriceRange[] = [
  [20, ['600.00', '77.00', '540.00']],
  [100, ['500.00', '64.25', '450.00']],
  [999_999, ['400.00', '51.40', '360.00']],
]

const demoPriceLists: DemoPriceList[] = [
  {
    effective: '2026-01-01',
    desc: 'Price list 2026',
    uat: '20.00',
    cap: ['5000.00', '640.00', '4500.00'],
    fee: ['20000.00', '2560.00', '18000.00'],
    concurrent: [
      [10, ['1200.00', '154.00', '1080.00']],
      [50, ['1000.00', '128.50', '900.00']],
      [999_999, ['800.00', '102.80', '720.00']],
    ],
    modules: [
      ['12000.00', '1540.00', '10800.00'],
      ['18000.00', '2310.00', '16200.00'],
      ['15500.50', '1990.05', '13950.45'],
      ['9000.00', '1155.00', '8100.00'],
      ['2000.00', '255.00', '1800.00'],
    ],
  },
  {
    effective: '2027-01-01',
    desc: 'Price list 2027',
    uat: '12.50',
    cap: ['0.00', '0.00', '0.00'],
    fee: ['22000.00', '2816.00', '19800.00'],
    concurrent: [
      [10, ['1260.00', '161.70', '1134.00']],
      [50, ['1050.00', '134.90', '945.00']],
      [500, ['840.00', '107.95', '756.00']],
    ],
    modules: [
      ['12600.00', '1617.00', '11340.00'],
      ['18900.00', '2425.50', '17010.00'],
      ['16275.52', '2089.55', '14647.95'],
      ['9450.00', '1212.75', '8505.00'],
      ['2100.00', '267.75', '1890.00'],
    ],
  },
]

const toPriceRanges = (ranges: readonly PriceRange[]) =>
  ranges.map(([to, prices], index) => ({
    id: index + 1,
    from: (ranges[index - 1]?.[0] ?? 0) + 1,
    to,
    ...toPrices(prices),
  }))

const toPriceContent = (
  { uat, cap, fee, concurrent, modules }: DemoPriceList,
  ids: readonly number[],
): PriceContent => ({
  uat_charge: uat,
  ...toNamedPrices('uat_cap', cap),
  min_concurrent_user: 5,
  min_named_user: 10,
  ...toNamedPrices('min_fee', fee),
  concurrentUser: toPriceRanges(concurrent),
  namedUser: toPriceRanges(namedUserRanges),
  module: modules.map((prices, index) => ({
    id: index + 1,
    code: visibleModules[index]?.code ?? '',
    module_id: ids[index] ?? 0,
    ...toPrices(prices),
  })),
  pdbPrice: {
    ...toNamedPrices('pdb2s3_fee', ['6000.00', '770.00', '5400.00']),
    pdb2s3_traffic: '50.00',
    pdb2s3_discount: '10.00',
    ...toNamedPrices('pdb2s3_up', ['12.50', '1.60', '11.25']),
    ...toNamedPrices('pdb2rds_fee', ['15000.00', '1925.00', '13500.00']),
    pdb2rds_discount: '0.00',
  },
})

/** Runs as the system role. The price lists are confirmed and valid from their start dates. Returns the ids of the price lists. */
export async function loadCatalogue(
  db: DatabaseHandle,
  now: number,
  author: string,
  storePackage: StorePackage = async () => undefined,
): Promise<number[]> {
  const times = { create_time: now, update_time: now }
  const ids: number[] = []
  for (const { dependencies, conditions, apps, ...fields } of [...visibleModules, ...hiddenModules]) {
    const { id } = await insertModule(db, {
      type: 'saas',
      any_condition: false,
      version: '',
      ...times,
      ...fields,
      dependencies: JSON.stringify(dependencies),
      conditions: JSON.stringify(conditions),
      apps: JSON.stringify(apps.map((code) => ({ code, flag: {} }))),
    })
    ids.push(id)
  }
  await loadApps(db, storePackage)
  const listIds: number[] = []
  for (const list of demoPriceLists) {
    const row = await insertPriceList(db, {
      type: 'saas',
      effective_date: list.effective,
      description: list.desc,
      confirmed: true,
      content: JSON.stringify(toPriceContent(list, ids)),
      update_user_name: author,
      ...times,
    })
    listIds.push(row.id)
  }
  return listIds
}
