/** Reads a statement of booked entries, camt.053 of ISO 20022, of any version. No entity of the file is expanded. */
import sax from 'sax'
import { type Hundredths, writeAmount } from '#domain/money.ts'
import { isDay } from '#domain/plain-dates.ts'
import {
  joinTexts,
  maxEntries,
  maxLengths,
  readCurrency,
  type Statement,
  type StatementEntry,
  StatementError,
} from '#server/drivers/statements/statement.ts'

/** Real statements have about 15 levels. */
const maxDepth = 40
const chunkLength = 16_384

/** An element of an entry or of an account. Names are without prefixes. */
interface XmlElement {
  name: string
  text: string
  currency: string
  children: XmlElement[]
}

interface CamtState {
  /** Names of the open elements. */
  path: string[]
  /** The open elements of the entry or account that is being read. */
  open: XmlElement[]
  account: string
  entries: StatementEntry[]
  entryCount: number
  skipped: number
}

/** Throws StatementError. */
export function readCamt(content: string): Statement {
  const state: CamtState = { path: [], open: [], account: '', entries: [], entryCount: 0, skipped: 0 }
  const xml = sax.parser(true, { position: true })
  const getLine = () => xml.line + 1
  const refuse = () => {
    throw new StatementError('BAD_XML', { line: getLine() })
  }
  xml.onerror = refuse
  // Without a document type there are no entities of the file's own.
  xml.ondoctype = refuse
  xml.onopentag = ({ name, attributes }) => openElement(state, removePrefix(name), attributes, getLine())
  xml.onclosetag = () => closeElement(state, getLine())
  xml.ontext = (text) => addText(state, text)
  xml.oncdata = (text) => addText(state, text)
  writeAll(xml, content.replace(/^\uFEFF/, '').trimStart())
  return { entries: state.entries, skipped: state.skipped }
}

/** The parser checks the length of its buffers only between two chunks. */
function writeAll(xml: sax.SAXParser, content: string): void {
  for (let start = 0; start < content.length; start += chunkLength) xml.write(content.slice(start, start + chunkLength))
  xml.close()
}

const removePrefix = (name: string) => name.slice(name.indexOf(':') + 1)

function openElement(state: CamtState, name: string, attributes: Record<string, unknown>, line: number): void {
  const { path, open } = state
  if (path.length >= maxDepth) throw new StatementError('TOO_DEEP', { line })
  if (path.length === 0 && name !== 'Document') throw new StatementError('OTHER_MESSAGE', { column: name })
  if (path.length === 1 && name !== 'BkToCstmrStmt') throw new StatementError('OTHER_MESSAGE', { column: name })
  if (path.length === 2 && name === 'Stmt') state.account = ''
  path.push(name)
  const isRead = path.length === 4 && path[2] === 'Stmt' && (name === 'Ntry' || name === 'Acct')
  if (!isRead && open.length === 0) return
  const element = { name, text: '', currency: String(attributes['Ccy'] ?? ''), children: [] }
  open.at(-1)?.children.push(element)
  open.push(element)
}

/** Text of an element with children is only space between them. */
function addText({ open }: CamtState, text: string): void {
  const element = open.at(-1)
  if (element && element.text.length < maxLengths.reference) element.text += text
}

function closeElement(state: CamtState, line: number): void {
  state.path.pop()
  const element = state.open.pop()
  if (!element || state.open.length > 0) return
  if (element.name === 'Acct')
    state.account = joinTexts([findText(element, 'Id/IBAN') || findText(element, 'Id/Othr/Id')], maxLengths.account)
  else addEntry(state, element, line)
}

function addEntry(state: CamtState, element: XmlElement, line: number): void {
  state.entryCount++
  if (state.entryCount > maxEntries) throw new StatementError('TOO_MANY_ENTRIES')
  const entries = readEntry(element, state.account, line)
  state.entries.push(...entries)
  if (state.entries.length > maxEntries) throw new StatementError('TOO_MANY_ENTRIES')
  if (entries.length === 0) state.skipped++
}

/** Returns all elements at the path, such as `NtryDtls/TxDtls`. */
const findAll = (element: XmlElement, path: string): XmlElement[] =>
  path
    .split('/')
    .reduce<XmlElement[]>(
      (elements, name) => elements.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [element],
    )

const findText = (element: XmlElement, ...paths: string[]): string => {
  for (const path of paths) {
    const text = findAll(element, path)[0]?.text.trim() ?? ''
    if (text !== '') return text
  }
  return ''
}

/** Returns no entries for what is not booked, not received, a reversal, or of another currency. */
function readEntry(entry: XmlElement, account: string, line: number): StatementEntry[] {
  // Since version 08 the status is a code in its own element.
  const status = findText(entry, 'Sts/Cd', 'Sts')
  const direction = findText(entry, 'CdtDbtInd')
  if (status === '') throw new StatementError('BAD_ENTRY', { line, column: 'Sts' })
  if (direction !== 'CRDT' && direction !== 'DBIT') throw new StatementError('BAD_ENTRY', { line, column: 'CdtDbtInd' })
  const isReversal = /^(true|1)$/.test(findText(entry, 'RvslInd'))
  if (status !== 'BOOK' || direction !== 'CRDT' || isReversal) return []
  const total = readMoney(findAll(entry, 'Amt')[0])
  if (total === null) throw new StatementError('BAD_ENTRY', { line, column: 'Amt' })
  const { amount, currency } = total
  if (currency === 'unsupported' || amount === 0n) return []
  const details = findAll(entry, 'NtryDtls/TxDtls')
  const common = { account, day: readDay(entry, line), currency }
  const parts = splitBatch(details, total) ?? [{ amount, transactions: details }]
  return parts.map((part) => ({
    ...common,
    amount: writeAmount(part.amount),
    sender: joinTexts(findUnique(part.transactions, findSender), maxLengths.sender),
    reference: joinTexts(
      [...findUnique(part.transactions, findReference), ...listEntryTexts(entry, part.transactions)],
      maxLengths.reference,
    ),
    bankReference: joinTexts([findBankReference(entry, part.transactions)], maxLengths.bankReference),
  }))
}

interface EntryPart {
  amount: Hundredths
  transactions: XmlElement[]
}

/** Returns the transactions of a batch as parts if their amounts add up to that of the entry, otherwise null. */
function splitBatch(details: XmlElement[], total: { amount: Hundredths; currency: string }): EntryPart[] | null {
  if (details.length < 2) return null
  const parts = details.flatMap((transaction) => {
    const money = readMoney(
      findAll(transaction, 'Amt')[0] ??
        findAll(transaction, 'AmtDtls/TxAmt/Amt')[0] ??
        findAll(transaction, 'AmtDtls/InstdAmt/Amt')[0],
    )
    const isReceived = findText(transaction, 'CdtDbtInd') !== 'DBIT'
    return money && isReceived && money.currency === total.currency && money.amount > 0n
      ? [{ amount: money.amount, transactions: [transaction] }]
      : []
  })
  const sum = parts.reduce((amount, part) => amount + part.amount, 0n)
  return parts.length === details.length && sum === total.amount ? parts : null
}

function readMoney(element: XmlElement | undefined) {
  const [, units, decimals = ''] = /^\+?0*(\d{1,13})(?:\.(\d{0,2})0*)?$/.exec(element?.text.trim() ?? '') ?? []
  const currency = readCurrency(element?.currency ?? '')
  if (units === undefined || currency === null) return null
  return { amount: BigInt(units) * 100n + BigInt(decimals.padEnd(2, '0')), currency }
}

function readDay(entry: XmlElement, line: number): string {
  const day = findText(entry, 'BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm').slice(0, 10)
  if (!isDay(day)) throw new StatementError('BAD_ENTRY', { line, column: 'BookgDt' })
  return day
}

const findUnique = (transactions: XmlElement[], find: (transaction: XmlElement) => string[]): string[] => [
  ...new Set(transactions.flatMap(find)),
]

/** Since version 08 a party is in its own element. */
const findSender = (transaction: XmlElement): string[] => [
  findText(
    transaction,
    'RltdPties/UltmtDbtr/Pty/Nm',
    'RltdPties/UltmtDbtr/Nm',
    'RltdPties/Dbtr/Pty/Nm',
    'RltdPties/Dbtr/Nm',
  ),
]

const findTexts = (element: XmlElement, path: string) => findAll(element, path).map(({ text }) => text)

/** The sender's own number is a part of what the sender wrote, unless it says that there is none. */
const findReference = (transaction: XmlElement): string[] => [
  ...findTexts(transaction, 'RmtInf/Ustrd'),
  ...findTexts(transaction, 'RmtInf/Strd/CdtrRefInf/Ref'),
  ...findTexts(transaction, 'RmtInf/Strd/RfrdDocInf/Nb'),
  ...findTexts(transaction, 'RmtInf/Strd/AddtlRmtInf'),
  ...findTexts(transaction, 'Refs/EndToEndId').filter((text) => !/^\s*NOT ?PROVIDED\s*$/i.test(text)),
]

/** What the bank wrote about the entry is used if the sender wrote nothing. */
const listEntryTexts = (entry: XmlElement, transactions: XmlElement[]): string[] =>
  transactions.some((transaction) => findReference(transaction).length > 0) ? [] : [findText(entry, 'AddtlNtryInf')]

/** The number of an entry (`NtryRef`) is not used, because some banks count it from 1 in each file. */
function findBankReference(entry: XmlElement, transactions: XmlElement[]): string {
  const [transaction] = transactions
  const isAlone = transactions.length === 1
  const own = transaction && isAlone ? findText(transaction, 'Refs/AcctSvcrRef') : ''
  const common = findText(entry, 'AcctSvcrRef')
  return own || common || (transaction && isAlone ? findText(transaction, 'Refs/TxId', 'Refs/UETR') : '')
}
