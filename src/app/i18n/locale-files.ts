/** Where texts come from: a file a noun and language. Light, because the first script of all asks for them (I-01). */
import type { ResourceKey } from 'i18next'
import type { Namespace } from '#ui/i18n/i18n.ts'
import { askedLanguage, firstLanguage } from '#app/i18n/language.ts'
import { recall, remember } from '#app/preferences/preferences.ts'

// Mails, prints, the server's own pages and the payment sandbox are the server's to write; the words of the second factor, of sessions, of the audit trail, of the preparation for work offline, of the catalogue, of date fields and of all
// that is ordered come with the code that says them.
const files = import.meta.glob<ResourceKey>(
  [
    '/src/locales/*/*.json',
    '!/src/locales/*/{mail,print,pages,sandbox,gateway,sample-instance,factors,sessions,apps,audit,auditKept,prepare,modules,prices,services,backups}.json',
    '!/src/locales/*/{dates,order-fields,price-fields,orders,wizard,contract,payment,calendar,dues,payment-tasks}.json',
  ],
  { import: 'default' },
)

const fileOf = (language: string, namespace: string) => files[`/src/locales/${language}/${namespace}.json`]

/** What every page shows: the frame and the parts. */
export const always = ['shell', 'ui'] as const satisfies Namespace[]
/** What any page may have to say, but few begin with: what came back from an asking, what is wrong with a field. */
export const soon = ['problem', 'fields'] as const satisfies Namespace[]

/** The language in which the page begins. */
export const first = firstLanguage(location.search, recall('portal.language'))

/** `?lang=` is taken once: what is chosen later stands, and a link that is passed on names no language. */
export function takeLanguage(): void {
  const url = new URL(location.href)
  if (!url.searchParams.has('lang')) return
  if (askedLanguage(url.search)) remember('portal.language', first)
  url.searchParams.delete('lang')
  history.replaceState(history.state, '', url)
}

export async function readTexts(language: string, namespace: string): Promise<ResourceKey> {
  const load = fileOf(language, namespace)
  if (!load) return {}
  // Words in the other language are better than none, when the file cannot be fetched now.
  return await load().catch(() => fileOf('en', namespace)?.() ?? {})
}
