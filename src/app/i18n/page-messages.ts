/** Texts: which language is shown. A noun's file travels with the pages that need it (I-01). */
import type { Language } from '#domain/accounts/users.ts'
import { setMessageLoader, i18n, getLanguage, type MessageNamespace } from '#ui/i18n/messages.ts'
import { languageTags } from '#app/i18n/language.ts'
import { storePreference } from '#app/preferences/preferences.ts'
import { frameNamespaces, initialLanguage, loadLocaleFile } from '#app/i18n/locale-files.ts'

/** What any page has shown: another language is shown when it has these too. */
const requestedNamespaces = new Set<MessageNamespace>(frameNamespaces)
/** The latest choice counts, however late the texts of an earlier one come. */
let chosenLanguage: Language = initialLanguage
let startPromise: Promise<void> | undefined

/** Resolves when the frame can be drawn. */
export const startMessages = (): Promise<void> => (startPromise ??= start())

async function start(): Promise<void> {
  setMessageLoader((namespaces) => loadPageMessages(...namespaces))
  await fetchMessages(initialLanguage, frameNamespaces)
  await i18n.changeLanguage(initialLanguage)
  updateDocumentLanguage()
  i18n.on('languageChanged', updateDocumentLanguage)
}

/** What is installed or brought up to date now is called as the page speaks (I-11). */
function updateDocumentLanguage(): void {
  const language = getLanguage()
  document.documentElement.lang = languageTags[language]
  const name = language === 'en' ? 'manifest' : `manifest.${language}`
  document.querySelector('link[rel=manifest]')?.setAttribute('href', `/saas/${name}.webmanifest`)
}

/** What cannot be fetched now is asked for again by the next who needs it, and when the line is back; until then its keys are shown. */
async function fetchMessages(language: Language, namespaces: readonly MessageNamespace[]): Promise<void> {
  const missingNamespaces = namespaces.filter((namespace) => !i18n.hasResourceBundle(language, namespace))
  await Promise.all(
    missingNamespaces.map(async (namespace) => {
      const messages = await loadLocaleFile(language, namespace).catch(() => null)
      if (messages) i18n.addResourceBundle(language, namespace, messages)
      else addEventListener('online', () => void fetchMessages(language, [namespace]), { once: true })
    }),
  )
}

/** Texts of a page, in the language that is shown when they are here. */
export async function loadPageMessages(...namespaces: MessageNamespace[]): Promise<void> {
  for (const namespace of namespaces) requestedNamespaces.add(namespace)
  await Promise.all([startMessages(), fetchMessages(chosenLanguage, namespaces)])
  // Another language may have been chosen meanwhile.
  await fetchMessages(chosenLanguage, namespaces)
}

export async function loadWithMessages<T>(load: () => Promise<T>, ...namespaces: MessageNamespace[]): Promise<T> {
  const [module] = await Promise.all([load(), loadPageMessages(...namespaces)])
  return module
}

export async function chooseLanguage(language: Language): Promise<void> {
  chosenLanguage = language
  // At once: the page may be left, or the line be cut, before its texts are here.
  storePreference('portal.language', language)
  await fetchMessages(language, [...requestedNamespaces])
  if (chosenLanguage === language) await i18n.changeLanguage(language)
}
