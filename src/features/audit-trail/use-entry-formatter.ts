/** Formats an entry: type, subject, user and values. All results are text, never markup. */
import { useTranslation } from 'react-i18next'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import { toFieldText, formatFilter, toValueText } from '#features/audit-trail/format-value.ts'
import { type AuditEntrySubject, findInfoKey, findOperation } from '#features/audit-trail/find-entry-key.ts'
import { findFieldLabel } from '#ui/i18n/field-labels.ts'
import { formatPriceFieldLabel } from '#ui/i18n/price-field-messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

type EntryFact = readonly [label: string, value: string]

export function useEntryFormatter() {
  const { t } = useTranslation('audit')
  const toFact = (key: string, value: unknown, entry: Pick<AuditEntrySubject, 'code'>): EntryFact => {
    const textKey = findInfoKey(key)
    const text = key === 'problem' ? formatRefusal(value) : formatFilter(t, key, value)
    return [textKey ? t(`info.${textKey}`) : key, text ?? formatFieldValue(key, value, entry)]
  }
  const formatValue = (value: unknown): string => toValueText(t, value)
  const formatFieldValue = (field: string, value: unknown, entry: Pick<AuditEntrySubject, 'code'>): string =>
    toFieldText(t, field, value, entry)
  const formatRefusal = (code: unknown) =>
    formatProblem({ status: 0, code: String(code), message: '', data: null, requestId: null })
  return {
    formatValue,
    formatType: ({ code }: Pick<AuditEntryRow, 'code'>) => t(`type.${code}`),
    formatOperation: ({ operation }: Pick<AuditEntryRow, 'operation'>) => {
      const knownOperation = findOperation(operation)
      return knownOperation ? t(`operation.${knownOperation}`) : operation
    },
    formatStatus: ({ status }: Pick<AuditEntryRow, 'status'>) => t(status === -1 ? 'status.failed' : 'status.done'),
    formatUser: ({
      exec_user_name: name,
      by_provider: isByStaff,
      info,
    }: Pick<AuditEntryRow, 'exec_user_name' | 'by_provider' | 'info'>) =>
      name !== '' ? name : info['By'] === 'schedule' ? t('value.By.schedule') : t(isByStaff ? 'staff' : 'nobody'),
    formatField: (field: string, { code }: Pick<AuditEntrySubject, 'code'>, uatBound: UatBound): string => {
      if (code === 'price') return formatPriceFieldLabel(field, uatBound)
      return findFieldLabel(field) ?? field
    },
    formatFieldValue,
    listFacts: ({ code, info }: AuditEntrySubject): EntryFact[] =>
      sortInfo({ code, info }).map(([key, value]) => toFact(key, value, { code })),
    /** Returns one line of text: main facts without labels, then others with labels. The company is left out if there are other facts. */
    formatSubject: ({ code, info }: AuditEntrySubject): string => {
      const shownEntries = sortInfo({ code, info }).filter(([key]) => !hiddenKeys.has(key))
      const facts =
        shownEntries.length > 1
          ? shownEntries.filter(([key]) => key !== 'CompanyName' || code === 'company')
          : shownEntries
      return facts
        .map(([key, value]) => {
          if (mainKeys[code]?.includes(key)) return formatValue(value)
          const [factName, factValue] = toFact(key, value, { code })
          return t('entry.pair', { name: factName, value: factValue })
        })
        .join(' · ')
    },
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

/** Ids that only links need, and the request path of a failed call. */
const hiddenKeys = new Set(['UserId', 'OrderId', 'NoteId', 'path'])

function sortInfo({ code, info }: AuditEntrySubject): [string, unknown][] {
  const firstKeys = mainKeys[code] ?? []
  const toPosition = (key: string) => (firstKeys.includes(key) ? firstKeys.indexOf(key) : firstKeys.length)
  return Object.entries(info).toSorted(([a], [b]) => toPosition(a) - toPosition(b))
}
