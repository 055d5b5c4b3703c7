/** Where texts come from: a file a noun and language. Light, because the first script of all asks for them (I-01). */
import type { ResourceKey } from 'i18next'
import type { MessageNamespace } from '#ui/i18n/messages.ts'
import { readUrlLanguage, getInitialLanguage } from '#app/i18n/language.ts'
import { readPreference, storePreference } from '#app/preferences/preferences.ts'

// Mails, prints, the server's own pages and the payment sandbox are the server's to write; the words of the second factor, of sessions, of the audit trail, of the preparation for work offline, of the catalogue, of date fields and of all
// that is ordered come with the code that says them.
const localeFiles = import.meta.glob<ResourceKey>(
  [
    '/src/locales/*/*.json',
    '!/src/locales/*/{mail,print,pages,sandbox,gateway,sample-instance,factors,sessions,apps,audit,storedTrail,prepare,modules,prices,services,backups}.json',
    '!/src/locales/*/{dates,field-labels,order-fields,price-fields,orders,wizard,contract,payment,calendar,dues,payment-tasks}.json',
  ],
  { import: 'default' },
)

const getLocaleFile = (language: string, namespace: string) => localeFiles[`/src/locales/${language}/${namespace}.json`]

/** What every page shows: the frame and the parts. */
export const frameNamespaces = ['shell', 'ui'] as const satisfies MessageNamespace[]
/** What any page may have to say, but few begin with: what came back from an asking, what is wrong with a field. */
export const problemNamespaces = ['problem', 'fields'] as const satisfies MessageNamespace[]

/** The language in which the page begins. */
export const initialLanguage = getInitialLanguage(location.search, readPreference('portal.language'))

/** `?lang=` is taken once: what is chosen later stands, and a link that is passed on names no language. */
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
  // Words in the other language are better than none, when the file cannot be fetched now.
  return await load().catch(() => getLocaleFile('en', namespace)?.() ?? {})
}
