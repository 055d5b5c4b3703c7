/** Sets up a shop with unpaid orders and the calls about bank transfers. */
import { randomUUID } from 'node:crypto'
import type { BankTransferRow } from '#contract/staff/bank-transfers.ts'
import type { Engine } from '#tests/support/server/database.ts'
import { type OrderRow, placeOrder } from '#tests/support/orders/shop-data.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

export interface ItemInput {
  contractType: 'CONTRACT' | 'PDBORDER' | 'TRAFFIC'
  id: number
}

let transferCount = 0

export function setUpTransfers(engine: Engine) {
  const setup = setUpRefunds(engine)
  const { actors, fixture, runAsSystem } = setup

  const order = async (code = 'shop', fields: object = {}, caller: SignedIn = actors.buyer): Promise<OrderRow> =>
    (await placeOrder(caller, { code, ...fields })).json()
  const toItem = ({ id }: OrderRow): ItemInput => ({ contractType: 'CONTRACT', id })

  const record = (fields: Record<string, unknown> = {}, caller: SignedIn = actors.staff) => {
    transferCount += 1
    const transfer = { day: '2026-03-02', currency: 'HKD', amount: '42000.00', sender: 'Somebody', reference: '' }
    return caller.send({
      method: 'POST',
      url: '/api/bank-transfers',
      payload: { ...transfer, bank_reference: `FT-${transferCount}`, ...fields },
    })
  }
  const recordTransfer = async (fields: Record<string, unknown> = {}): Promise<BankTransferRow> =>
    (await record(fields)).json()
  const post = (
    { id, row_version }: Pick<BankTransferRow, 'id' | 'row_version'>,
    action: 'credit' | 'close' | 'correct',
    fields: object,
    key: string = randomUUID(),
  ) =>
    actors.staff.send({
      method: 'POST',
      url: `/api/bank-transfers/${id}/${action}`,
      headers: { 'idempotency-key': key },
      payload: { row_version, ...fields },
    })
  const credit = (
    transfer: Pick<BankTransferRow, 'id' | 'row_version'>,
    items: ItemInput[] = [],
    companyId: number = fixture.server.world.companies.alpha,
    key?: string,
  ) => post(transfer, 'credit', { company_id: companyId, items }, key)
  const list = async (): Promise<{ open: BankTransferRow[]; settled: BankTransferRow[] }> =>
    (await actors.staff.send({ url: '/api/bank-transfers' })).json()
  const importFile = (content: string, fields: object = {}) =>
    actors.staff.send({
      method: 'POST',
      url: '/api/bank-transfers/import',
      payload: { name: 'statement.csv', content, ...fields },
    })
  const requestProforma = (items: ItemInput[], caller: SignedIn = actors.buyer) =>
    caller.send({ method: 'POST', url: '/api/proforma', payload: { items } })
  const readBalances = () =>
    runAsSystem((db) => db.selectFrom('credit_balance').selectAll().where('balance', '>', '0').execute())
  const listEntries = () => runAsSystem((db) => db.selectFrom('credit_entry').selectAll().orderBy('id').execute())
  const countTransfers = async () =>
    (await runAsSystem((db) => db.selectFrom('bank_transfer').select('id').execute())).length

  return {
    ...setup,
    order,
    toItem,
    record,
    recordTransfer,
    post,
    credit,
    list,
    importFile,
    requestProforma,
    readBalances,
    listEntries,
    countTransfers,
  }
}
