/** Texts: which language is shown. A noun's file travels with the pages that need it (I-01). */
import type { Language } from '#domain/accounts/users.ts'
import { fetchTextsBy, i18n, languageNow, type Namespace } from '#ui/i18n/i18n.ts'
import { languageTags } from '#app/i18n/language.ts'
import { remember } from '#app/preferences/preferences.ts'
import { always, first, readTexts } from '#app/i18n/locale-files.ts'

/** What any page has shown: another language is shown when it has these too. */
const wanted = new Set<Namespace>(always)
/** The latest choice counts, however late the texts of an earlier one come. */
let chosen: Language = first
let started: Promise<void> | undefined

/** Resolves when the frame can be drawn. */
export const startWords = (): Promise<void> => (started ??= start())

async function start(): Promise<void> {
  fetchTextsBy((namespaces) => loadWords(...namespaces))
  await fetchTexts(first, always)
  await i18n.changeLanguage(first)
  told()
  i18n.on('languageChanged', told)
}

/** What is installed or brought up to date now is called as the page speaks (I-11). */
function told(): void {
  const language = languageNow()
  document.documentElement.lang = languageTags[language]
  const name = language === 'en' ? 'manifest' : `manifest.${language}`
  document.querySelector('link[rel=manifest]')?.setAttribute('href', `/saas/${name}.webmanifest`)
}

/** What cannot be fetched now is asked for again by the next who needs it, and when the line is back; until then its keys are shown. */
async function fetchTexts(language: Language, namespaces: readonly Namespace[]): Promise<void> {
  const fetched = namespaces.filter((namespace) => !i18n.hasResourceBundle(language, namespace))
  await Promise.all(
    fetched.map(async (namespace) => {
      const texts = await readTexts(language, namespace).catch(() => null)
      if (texts) i18n.addResourceBundle(language, namespace, texts)
      else addEventListener('online', () => void fetchTexts(language, [namespace]), { once: true })
    }),
  )
}

/** Texts of a page, in the language that is shown when they are here. */
export async function loadWords(...namespaces: Namespace[]): Promise<void> {
  for (const namespace of namespaces) wanted.add(namespace)
  await Promise.all([startWords(), fetchTexts(chosen, namespaces)])
  // Another language may have been chosen meanwhile.
  await fetchTexts(chosen, namespaces)
}

export async function chooseLanguage(language: Language): Promise<void> {
  chosen = language
  // At once: the page may be left, or the line be cut, before its texts are here.
  remember('portal.language', language)
  await fetchTexts(language, [...wanted])
  if (chosen === language) await i18n.changeLanguage(language)
}
