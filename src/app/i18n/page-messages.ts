/** Loads the texts of pages and sets the current language. The file of a noun is loaded with the pages that need it (I-01). */
import type { Language } from '#domain/accounts/users.ts'
import { setMessageLoader, i18n, getLanguage, type MessageNamespace } from '#ui/i18n/messages.ts'
import { languageTags } from '#app/i18n/language.ts'
import { storePreference } from '#app/preferences/preferences.ts'
import { frameNamespaces, initialLanguage, loadLocaleFile } from '#app/i18n/locale-files.ts'

/** Namespaces of all pages shown so far. A change of the language is shown after these are loaded in the new language. */
const requestedNamespaces = new Set<MessageNamespace>(frameNamespaces)
/** Language of the user's latest choice. Texts of an earlier choice that arrive later do not change the displayed language. */
let chosenLanguage: Language = initialLanguage
let startPromise: Promise<void> | undefined

export const startMessages = (): Promise<void> => (startPromise ??= start())

async function start(): Promise<void> {
  setMessageLoader((namespaces) => loadPageMessages(...namespaces))
  await fetchMessages(initialLanguage, frameNamespaces)
  await i18n.changeLanguage(initialLanguage)
  updateDocumentLanguage()
  i18n.on('languageChanged', updateDocumentLanguage)
}

/** Sets the document's language and its manifest, so that an app that is installed or updated now has a name in this language (I-11). */
function updateDocumentLanguage(): void {
  const language = getLanguage()
  document.documentElement.lang = languageTags[language]
  const name = language === 'en' ? 'manifest' : `manifest.${language}`
  document.querySelector('link[rel=manifest]')?.setAttribute('href', `/saas/${name}.webmanifest`)
}

/** A failed file is requested again later, also when the connection is back. Until then its keys are shown. */
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

export async function loadPageMessages(...namespaces: MessageNamespace[]): Promise<void> {
  for (const namespace of namespaces) requestedNamespaces.add(namespace)
  await Promise.all([startMessages(), fetchMessages(chosenLanguage, namespaces)])
  await fetchMessages(chosenLanguage, namespaces)
}

export async function loadWithMessages<T>(load: () => Promise<T>, ...namespaces: MessageNamespace[]): Promise<T> {
  const [module] = await Promise.all([load(), loadPageMessages(...namespaces)])
  return module
}

export async function chooseLanguage(language: Language): Promise<void> {
  chosenLanguage = language
  // Stored before the texts are loaded, because the user may leave the page or lose the connection meanwhile.
  storePreference('portal.language', language)
  await fetchMessages(language, [...requestedNamespaces])
  if (chosenLanguage === language) await i18n.changeLanguage(language)
}
