/** Loads texts: one file per noun and language. Kept small, because the first script uses it (I-01). */
import type { ResourceKey } from 'i18next'
import type { MessageNamespace } from '#ui/i18n/messages.ts'
import { readUrlLanguage, getInitialLanguage } from '#app/i18n/language.ts'
import { readPreference, storePreference } from '#app/preferences/preferences.ts'

// Excludes texts that only the server uses (mails, prints, its own pages, the payment sandbox), and texts that are bundled with the code
// that shows them (second factor, sessions, audit trail, offline preparation, catalogue, date fields, orders).
const localeFiles = import.meta.glob<ResourceKey>(
  [
    '/src/locales/*/*.json',
    '!/src/locales/*/{mail,print,pages,sandbox,gateway,sample-instance,factors,sessions,apps,audit,sentences,storedTrail,prepare,modules,prices,services,backups,customers,invoices}.json',
    '!/src/locales/*/{dates,field-labels,order-fields,price-fields,orders,wizard,contract,payment,calendar,dues,payment-tasks,money,money-page,bank-transfers,refunds,setup,statements}.json',
  ],
  { import: 'default' },
)

const getLocaleFile = (language: string, namespace: string) => localeFiles[`/src/locales/${language}/${namespace}.json`]

export const frameNamespaces = ['shell', 'ui'] as const satisfies MessageNamespace[]
/** Texts that any page may need but few need at the start: problems, and errors of fields. */
export const problemNamespaces = ['problem', 'fields'] as const satisfies MessageNamespace[]

export const initialLanguage = getInitialLanguage(location.search, readPreference('portal.language'))

/** Applies `?lang=` once and removes it, so that a later choice is kept and a shared link contains no language. */
export function takeUrlLanguage(): void {
  const url = new URL(location.href)
  if (!url.searchParams.has('lang')) return
  if (readUrlLanguage(url.search)) storePreference('portal.language', initialLanguage)
  url.searchParams.delete('lang')
  history.replaceState(history.state, '', url)
}

export async function loadLocaleFile(language: string, namespace: string): Promise<ResourceKey> {
  const load = getLocaleFile(language, namespace)
  if (!load) return {}
  // If the file cannot be loaded now, texts in English are better than none.
  return await load().catch(() => getLocaleFile('en', namespace)?.() ?? {})
}
