/** Formats an entry: its sentence, type, user and values. All results are text, never markup. */
import '#features/audit-trail/sentence/translations.ts'
import { getSettings } from '#contract/accounts.ts'
import { useMemo } from 'react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { type AuditEntryRow, auditMenus } from '#domain/audit-log/leaf.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import { toFieldText, formatFilter, toValueText } from '#features/audit-trail/format-value.ts'
import {
  type AuditEntrySubject,
  findBackupFault,
  findInfoKey,
  findOperation,
} from '#features/audit-trail/find-entry-key.ts'
import { buildSentence, isUnknownPerson } from '#features/audit-trail/sentence/build-sentence.ts'
import type { SentenceEntry } from '#features/audit-trail/sentence/choose-sentence.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { findFieldLabel } from '#ui/i18n/field-labels.ts'
import { formatPriceFieldLabel } from '#ui/i18n/price-field-messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

type EntryFact = readonly [label: string, value: string]

/** The formatter is the same until the language or the settings change. */
export function useEntryFormatter() {
  const { t } = useTranslation('audit')
  const { t: tSentence } = useTranslation('sentences')
  const uatBound = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])?.uat_bound ?? 'floor'
  return useMemo(() => createEntryFormatter(t, tSentence, uatBound), [t, tSentence, uatBound])
}

export function createEntryFormatter(t: TFunction<'audit'>, tSentence: TFunction<'sentences'>, uatBound: UatBound) {
  const toFact = (key: string, value: unknown, entry: Pick<AuditEntrySubject, 'code'>): EntryFact => {
    const textKey = findInfoKey(key)
    const text = key === 'problem' ? formatRefusal(value) : formatFilter(t, key, value)
    return [textKey ? t(`info.${textKey}`) : key, text ?? formatFieldValue(key, value, entry)]
  }
  const formatFieldValue = (field: string, value: unknown, entry: Pick<AuditEntrySubject, 'code'>): string =>
    toFieldText(t, field, value, entry)
  const formatRefusal = (code: unknown): string => {
    const fault = findBackupFault(code)
    if (fault) return tSentence(`fault.${fault}`)
    return formatProblem({ status: 0, code: String(code), message: '', data: null, requestId: null })
  }
  const formatField = (field: string, { code }: Pick<AuditEntrySubject, 'code'>): string =>
    code === 'price' ? formatPriceFieldLabel(field, uatBound) : (findFieldLabel(field) ?? field)
  const formatOperation = ({ operation }: Pick<AuditEntryRow, 'operation'>) => {
    const knownOperation = findOperation(operation)
    return knownOperation ? t(`operation.${knownOperation}`) : operation
  }
  const formatUser = (entry: SentenceEntry): string => {
    if (entry.exec_user_name !== '') return entry.exec_user_name
    const { StaffName: staffName } = entry.info
    if (entry.by_provider && typeof staffName !== 'string') return t('staff')
    // A change under a consent says so: its author is not one of the customer's users.
    if (entry.by_provider) return t('ConsentId' in entry.info ? 'staffByConsent' : 'staffNamed', { name: staffName })
    return entry.exec_user_id !== null || isUnknownPerson(entry) ? t('nobody') : tSentence('portal')
  }
  return {
    formatValue: (value: unknown): string => toValueText(t, value),
    formatType: ({ code }: Pick<AuditEntryRow, 'code'>): string =>
      auditMenus.includes(code) ? t(`type.${code}`) : code,
    formatOperation,
    formatStatus: ({ status }: Pick<AuditEntryRow, 'status'>) => t(status === -1 ? 'status.failed' : 'status.done'),
    formatUser,
    /** Returns the entry as one sentence, for `<Sentence>`. Without the person it begins with the verb. */
    formatSentence: (entry: SentenceEntry, withPerson = true): string =>
      buildSentence(
        entry,
        {
          t: tSentence,
          formatField: (field) => formatField(field, entry),
          formatValue: (field, value) => formatFieldValue(field, value, entry),
          formatInfo: (key) => (Object.hasOwn(entry.info, key) ? formatFieldValue(key, entry.info[key], entry) : ''),
          formatUser: () => formatUser(entry),
          formatOperation: () => formatOperation(entry),
          formatReason: formatRefusal,
        },
        withPerson,
      ),
    formatField,
    formatFieldValue,
    listFacts: ({ code, info }: AuditEntrySubject): EntryFact[] =>
      sortInfo({ code, info }).map(([key, value]) => toFact(key, value, { code })),
  }
}

export type EntryFormatter = ReturnType<typeof useEntryFormatter>

/** Facts that identify the subject of each type. They come first and need no label. */
const mainKeys: Partial<Record<AuditEntryRow['code'], readonly string[]>> = {
  company: ['CompanyName'],
  user: ['UserName'],
  order: ['ServiceCode'],
  service: ['ServiceCode'],
  backup: ['ServiceCode'],
  price: ['PriceEffDate', 'PriceDesc'],
  module: ['ModuleCode'],
  automodule: ['ModuleCode'],
  app: ['AppCode'],
}

/** Facts that another part of the entry shows: who acted, whether a field was changed, and what happened to a consent. */
const hiddenKeys = new Set(['By', 'ChangeCount', 'Help'])

function sortInfo({ code, info }: AuditEntrySubject): [string, unknown][] {
  const firstKeys = mainKeys[code] ?? []
  const toPosition = (key: string) => (firstKeys.includes(key) ? firstKeys.indexOf(key) : firstKeys.length)
  return Object.entries(info)
    .filter(([key]) => !hiddenKeys.has(key))
    .toSorted(([a], [b]) => toPosition(a) - toPosition(b))
}
