/** Where texts come from: a file a noun and language. Light, because the first script of all asks for them (I-01). */
import type { Texts } from '#ui/texts.ts'
import type { Namespace } from '#ui/words.ts'
import { firstLanguage } from '#app/language.ts'
import { recall } from '#app/remember.ts'

// Mails, prints and the payment sandbox are the server's to write; the words of the second factor, of sessions and of all that
// is ordered come with the code that says them.
const files = import.meta.glob<Texts>(
  [
    '../locales/*/*.json',
    '!../locales/*/{mail,print,sandbox,factors,sessions}.json',
    '!../locales/*/{order-fields,orders,wizard,contract,payment,calendar}.json',
  ],
  { import: 'default' },
)

const fileOf = (language: string, namespace: string) => files[`../locales/${language}/${namespace}.json`]

/** What every page shows: the frame and the parts. */
export const always = ['shell', 'ui'] as const satisfies Namespace[]
/** What any page may have to say, but few begin with: what came back from an asking, what is wrong with a field. */
export const soon = ['problem', 'fields'] as const satisfies Namespace[]

/** The language in which the page begins. */
export const first = firstLanguage(location.search, recall('portal.language'))

export async function readTexts(language: string, namespace: string): Promise<Texts> {
  const load = fileOf(language, namespace)
  if (!load) return {}
  // Words in the other language are better than none, when the file cannot be fetched now.
  return await load().catch(() => fileOf('en', namespace)?.() ?? {})
}
