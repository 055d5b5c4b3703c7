/** Texts: which language is shown. A noun's file travels with the pages that need it (I-01). */
import i18next from 'i18next'
import type { Language } from '#domain/users.ts'
import type { Namespace } from '#ui/words.ts'
import { languageTags } from '#app/language.ts'
import { remember } from '#app/remember.ts'
import { always, first, readTexts } from '#app/texts.ts'

const backend = {
  type: 'backend' as const,
  init: () => undefined,
  // i18next waits for a promise from a reader that takes no callback.
  read: readTexts,
}

let started: Promise<void> | undefined

/** Resolves when the frame can be drawn. */
export const startWords = (): Promise<void> => (started ??= start())

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
  for (const namespace of namespaces) void readTexts(first, namespace)
  await startWords()
  await i18next.loadNamespaces(namespaces)
}

export const chooseLanguage = (language: Language) => void i18next.changeLanguage(language)
export const languageNow = (): Language => (i18next.language === 'zh' ? 'zh' : 'en')
