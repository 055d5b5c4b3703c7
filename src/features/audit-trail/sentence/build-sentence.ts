/** Builds the sentence of an entry in the language of the page: who did what, and the most important change (decision 106). */
import type { TFunction } from 'i18next'
import { auditMenus } from '#domain/audit-log/leaf.ts'
import { chooseSentence, type SentenceEntry } from '#features/audit-trail/sentence/choose-sentence.ts'
import { isolate, spaceNames } from '#features/audit-trail/sentence/isolated-text.ts'
import {
  type ChangeFormatter,
  summariseChanges,
  type TranslateSentence,
} from '#features/audit-trail/sentence/summarise-changes.ts'
import type en from '#locales/en/sentences.json'

/** Formats parts of an entry as the trail shows them elsewhere. */
export interface SentenceFormatter extends ChangeFormatter {
  t: TranslateSentence
  formatInfo: (key: string) => string
  formatUser: () => string
  formatOperation: () => string
  formatReason: (problem: unknown) => string
}

/**
 * Returns the sentence with its names isolated (`isolated-text.ts`). Without the person it begins with the verb, for a list that has a
 * column of persons. Each sentence begins with the person in every language (tests/features/audit-trail/sentences.test.ts).
 */
export function buildSentence(entry: SentenceEntry, formatter: SentenceFormatter, withPerson = true): string {
  const { t } = formatter
  const key = chooseSentence(entry)
  const values = {
    ...buildValues(entry, formatter),
    person: withPerson ? isolate(getPerson(entry, formatter)) : '',
  }
  const sentence = spaceNames(key === null ? t('unknown', values) : t(key as 'done.update', values))
  const { problem } = entry.info
  const completeSentence =
    problem === undefined ? sentence : t('failedWhy', { sentence, reason: formatter.formatReason(problem) })
  return withPerson ? completeSentence : capitalise(completeSentence.trimStart())
}

const capitalise = (text: string): string => text.replace(/^\p{Ll}/u, (character) => character.toUpperCase())

const getPerson = (entry: SentenceEntry, { t, formatUser }: SentenceFormatter): string =>
  isUnknownPerson(entry) ? t('somebody') : formatUser()

/** Failed logins are recorded without a user, because nobody was logged in. */
export const isUnknownPerson = ({ operation, status, exec_user_id: userId }: SentenceEntry): boolean =>
  operation === 'login' && status === -1 && userId === null

function buildValues(entry: SentenceEntry, { t, formatInfo, formatOperation, ...formatter }: SentenceFormatter) {
  const { info } = entry
  const service = formatName(info['ServiceCode']) ?? t('unnamed.service')
  const getName = (key: string) => formatName(info[key]) ?? ''
  return {
    object: formatObject(t, entry),
    customer: formatName(info['CustomerCode']) ?? t('unnamed.customer'),
    user: formatName(info['UserName']) ?? t('unnamed.user'),
    service,
    from: formatName(info['FromService'] ?? info['DateFrom']) ?? service,
    to: formatName(info['DateTo']) ?? service,
    amount: formatInfo('Amount'),
    waived: formatInfo('Waived'),
    outcome: formatInfo('Outcome'),
    date: formatInfo('AlertDate'),
    month: formatInfo('Month'),
    invoice: getName('InvoiceNo'),
    creditNote: getName('CreditNoteNo'),
    proforma: getName('ProformaNo'),
    file: getName('File'),
    count: Number(info['Count'] ?? 0) || 0,
    hours: Number(info['Hours'] ?? 0) || 0,
    operation: isolate(formatOperation()),
    factor: formatFactor(t, info['Factor'] ?? info['Field']),
    changes: summariseChanges(t, removeConfirmation(entry), formatter),
  }
}

/** The confirmation of a price list is a changed field too, but the sentence says it with its verb. */
function removeConfirmation(entry: SentenceEntry): SentenceEntry {
  const { code, operation, changes, info } = entry
  const otherChanges = changes.filter(({ field }) => field !== 'confirmed')
  if (code !== 'price' || operation !== 'confirm' || otherChanges.length === changes.length) return entry
  return { ...entry, changes: otherChanges, info: { ...info, ChangeCount: Number(info['ChangeCount'] ?? 0) - 1 } }
}

const formatName = (name: unknown): string | null =>
  typeof name === 'string' && name !== '' ? isolate(name) : typeof name === 'number' ? String(name) : null

/** Facts that name the record of each type, in order of preference. */
const nameKeys: Readonly<Record<string, readonly string[]>> = {
  company: ['CompanyName'],
  user: ['UserName', 'UserEmail'],
  order: ['ServiceCode', 'ContractCode'],
  service: ['ServiceCode'],
  backup: ['ServiceCode'],
  price: ['PriceEffDate', 'PriceDesc'],
  module: ['ModuleCode'],
  automodule: ['ModuleCode'],
  app: ['AppCode'],
}

type ObjectKind = keyof typeof en.object

/** Names the record: "the price list of 2027-01-01", or "a price list" if the entry does not name it. */
function formatObject(t: TranslateSentence, { code, info }: SentenceEntry): string {
  const kind: ObjectKind = auditMenus.find((menu) => menu === code) ?? 'unknown'
  const keys = nameKeys[kind] ?? Object.keys(info)
  const [name] = keys.flatMap((key) => formatName(info[key]) ?? [])
  return name === undefined ? t(`unnamed.${kind}`) : t(`object.${kind}`, { name })
}

function formatFactor(t: TFunction<'sentences'>, factor: unknown): string {
  const knownFactors = ['authenticator app', 'passkey', 'recovery code', 'recovery codes'] as const
  return t(`factor.${knownFactors.find((candidate) => candidate === factor) ?? 'unknown'}`)
}
