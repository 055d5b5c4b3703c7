/** Texts: which language, and where they come from. A noun's file travels with the pages that need it (I-01). */
import i18next from 'i18next'
import type { Language } from '#domain/users.ts'
import type { Namespace } from '#ui/words.ts'
import { firstLanguage, languageTags } from '#app/language.ts'
import { recall, remember } from '#app/remember.ts'

type Texts = Record<string, unknown>
const files = import.meta.glob<Texts>('../locales/*/*.json', { import: 'default' })

const fileOf = (language: string, namespace: string) => files[`../locales/${language}/${namespace}.json`]

/** What every page shows: the frame, the parts, problems and fields. */
const always = ['shell', 'ui', 'problem', 'fields'] as const satisfies Namespace[]

async function read(language: string, namespace: string): Promise<Texts> {
  const load = fileOf(language, namespace)
  if (!load) return {}
  // Words in the other language are better than none, when the file cannot be fetched now.
  return await load().catch(() => fileOf('en', namespace)?.() ?? {})
}

const backend = {
  type: 'backend' as const,
  init: () => undefined,
  // i18next waits for a promise from a reader that takes no callback.
  read,
}

let started: Promise<void> | undefined

/** Resolves when the frame can be drawn. */
export const startWords = (): Promise<void> => (started ??= start())

const first = firstLanguage(location.search, recall('portal.language'))

async function start() {
  i18next.on('languageChanged', (language: Language) => {
    document.documentElement.lang = languageTags[language]
    remember('portal.language', language)
  })
  await i18next.use(backend).init({
    lng: first,
    supportedLngs: ['en', 'zh'],
    // Both languages have every key (tests/house/languages): nobody should fetch a second language for nothing.
    fallbackLng: false,
    ns: [...always],
    defaultNS: 'ui',
    interpolation: { escapeValue: false },
  })
}

/** Texts of a page; asked for at the start, they are fetched together with those of the frame. */
export async function loadWords(...namespaces: Namespace[]): Promise<void> {
  for (const namespace of namespaces) void read(first, namespace)
  await startWords()
  await i18next.loadNamespaces(namespaces)
}

export const chooseLanguage = (language: Language) => void i18next.changeLanguage(language)
export const languageNow = (): Language => (i18next.language === 'zh' ? 'zh' : 'en')
