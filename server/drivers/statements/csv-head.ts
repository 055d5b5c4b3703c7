/** Finds the head line of a CSV statement, and what its columns are. */
import { StatementError } from '#server/drivers/statements/statement.ts'

export interface CsvRow {
  cells: string[]
  /** Number of the row's last line, from 1. */
  line: number
}

/** Names without spaces and punctuation, in lower case. An earlier name is preferred. */
const namesByRole = {
  date: [
    'bookingdate',
    'postingdate',
    'transactiondate',
    'entrydate',
    'posteddate',
    'txndate',
    'date',
    'valuedate',
    'buchungstag',
    'buchungsdatum',
    '交易日期',
    '记账日期',
    '入账日期',
    '记账日',
    '交易日',
    '交易时间',
    '日期',
    '記賬日期',
    '入賬日期',
    '交易時間',
    '起息日',
  ],
  credit: [
    'creditamount',
    'creditamt',
    'credit',
    'credits',
    'deposit',
    'deposits',
    'depositamount',
    'moneyin',
    'paidin',
    'amountin',
    '贷方金额',
    '贷方发生额',
    '贷方',
    '收入金额',
    '收入额',
    '收入',
    '存入金额',
    '存入',
    '转入金额',
    '貸方金額',
    '貸方',
    '收入金額',
    '存入金額',
  ],
  debit: [
    'debitamount',
    'debitamt',
    'debit',
    'debits',
    'withdrawal',
    'withdrawals',
    'withdrawalamount',
    'moneyout',
    'paidout',
    'amountout',
    '借方金额',
    '借方发生额',
    '借方',
    '支出金额',
    '支出额',
    '支出',
    '支取金额',
    '支取',
    '转出金额',
    '借方金額',
    '支出金額',
    '提取金額',
  ],
  amount: [
    'amount',
    'transactionamount',
    'signedamount',
    'amt',
    'betrag',
    '交易金额',
    '发生金额',
    '发生额',
    '金额',
    '交易金額',
    '金額',
  ],
  direction: [
    'creditdebit',
    'debitcredit',
    'creditdebitindicator',
    'crdr',
    'drcr',
    'direction',
    'dc',
    'cd',
    'debitorcredit',
    'creditordebit',
    '借贷标志',
    '借贷标记',
    '借贷标识',
    '借贷方向',
    '借贷',
    '收支标志',
    '收支标识',
    '收支标记',
    '收支类型',
    '收付标志',
    '收支',
    '借貸',
    '借貸標記',
    '收支標識',
  ],
  currency: [
    'transactioncurrency',
    'currency',
    'currencycode',
    'ccy',
    'curr',
    'accountcurrency',
    '交易币种',
    '币种',
    '币别',
    '货币',
    '幣種',
    '幣別',
    '貨幣',
  ],
  account: [
    'ownaccount',
    'accountnumber',
    'accountno',
    'account',
    'iban',
    '本方账号',
    '本方帐号',
    '账号',
    '帐号',
    '账户',
    '賬號',
    '帳號',
    '戶口號碼',
  ],
  sender: [
    'sendername',
    'sender',
    'debtorname',
    'debtor',
    'payername',
    'payer',
    'remittername',
    'remitter',
    'counterpartyname',
    'counterparty',
    'name',
    '对方户名',
    '付款人名称',
    '付款人户名',
    '付款方户名',
    '付款人',
    '付款方',
    '对方名称',
    '对方账户名称',
    '对方单位名称',
    '交易对方',
    '對方戶名',
    '付款人名稱',
  ],
  bankReference: [
    'bankreference',
    'bankref',
    'transactionreference',
    'transactionreferencenumber',
    'transactionid',
    'transactionnumber',
    'transactionno',
    'entryreference',
    'fitid',
    '交易流水号',
    '银行流水号',
    '流水号',
    '交易流水',
    '交易编号',
    '交易流水號',
    '流水號',
    '交易編號',
  ],
} as const
/** Several of them are joined. */
const textNames = new Set([
  'reference',
  'paymentreference',
  'customerreference',
  'remittanceinformation',
  'remittanceinfo',
  'details',
  'transactiondetails',
  'description',
  'transactiondescription',
  'narrative',
  'remarks',
  'remark',
  'memo',
  'text',
  'comment',
  'comments',
  'note',
  'notes',
  'message',
  'purpose',
  'particulars',
  'verwendungszweck',
  '摘要',
  '交易摘要',
  '附言',
  '交易附言',
  '用途',
  '备注',
  '备注信息',
  '客户附言',
  '備註',
  '說明',
])

type Role = keyof typeof namesByRole

export interface StatementHead extends CsvRow {
  columns: Partial<Record<Role, number>>
  textColumns: number[]
  /** All columns of currencies, the preferred one first. */
  currencyColumns: number[]
}

export const normaliseName = (cell: string) =>
  cell
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\([^()]{0,40}\)|\[[^[\]]{0,40}\]/g, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Returns the text in brackets, such as `HKD` of "Amount (HKD)". */
export const findNameSuffix = (cell: string): string =>
  /[([]([^()[\]]{0,40})[)\]]/.exec(cell.normalize('NFKC'))?.[1] ?? ''

/** Returns null if the row names no date or no amount. */
function readHead(row: CsvRow): StatementHead | null {
  const names = row.cells.map(normaliseName)
  const columns: StatementHead['columns'] = {}
  for (const role of Object.keys(namesByRole) as Role[]) {
    const name = namesByRole[role].find((roleName) => names.includes(roleName))
    if (name !== undefined) columns[role] = names.indexOf(name)
  }
  const hasMoney = columns.credit !== undefined || columns.amount !== undefined
  if (columns.date === undefined || !hasMoney) return null
  const findColumns = (isWanted: (name: string) => boolean) =>
    names.flatMap((name, index) => (isWanted(name) ? [index] : []))
  return {
    ...row,
    columns,
    textColumns: findColumns((name) => textNames.has(name)),
    currencyColumns: namesByRole.currency.flatMap((roleName) => findColumns((name) => name === roleName)),
  }
}

/** Returns the first head line, or null. */
export const findHead = (rows: readonly CsvRow[]): StatementHead | null =>
  rows.reduce<StatementHead | null>((head, row) => head ?? readHead(row), null)

export const countColumns = ({ columns, textColumns }: StatementHead): number =>
  Object.keys(columns).length + textColumns.length

/** Throws StatementError if a used column has the same name as another one. */
export function requireUniqueColumns({ cells, line, columns }: StatementHead): void {
  const names = cells.map(normaliseName)
  for (const index of Object.values(columns))
    if (names.filter((name) => name === names[index]).length > 1)
      throw new StatementError('COLUMN_TWICE', { line, column: cells[index] ?? '' })
}

/** Finds a value above the head line, such as "Account number: 123" in one cell or in two. */
export function findValueAbove(rows: readonly CsvRow[], role: Role): string {
  const names: readonly string[] = namesByRole[role]
  for (const { cells } of rows)
    for (const [index, cell] of cells.entries()) {
      const [name = '', ...rest] = cell.normalize('NFKC').split(':')
      if (!names.includes(normaliseName(name))) continue
      const value = rest.join(':').trim() || (cells[index + 1] ?? '').trim()
      if (value !== '') return value
    }
  return ''
}
