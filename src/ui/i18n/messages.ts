/** Creates the i18next instance. Each page adds its own messages, because only the page knows which namespaces it needs (I-01). */
import i18next, { type CustomTypeOptions, type PostProcessorModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { removeDoubleFullStop } from '#domain/text.ts'
import type { Language } from '#domain/accounts/users.ts'

export type MessageNamespace = keyof CustomTypeOptions['resources']

/** Namespaces of which a key was displayed because its message was missing. */
const missedNamespaces = new Set<string>()

export const i18n = i18next.createInstance()
const oneStopProcessor: PostProcessorModule = { type: 'postProcessor', name: 'oneStop', process: removeDoubleFullStop }
void i18n
  .use(initReactI18next)
  .use(oneStopProcessor)
  .init({
    lng: 'en',
    supportedLngs: ['en', 'zh'],
    resources: {},
    defaultNS: 'ui',
    initAsync: false,
    // Both languages have every key (tests/architecture/languages), so no fallback language is loaded.
    fallbackLng: false,
    // React escapes values itself (I-05).
    interpolation: { escapeValue: false },
    missingInterpolationHandler: () => '',
    saveMissing: true,
    missingKeyHandler: (_, namespace) => missedNamespaces.add(namespace),
    postProcess: ['oneStop'],
    react: { useSuspense: false, bindI18n: 'languageChanged late' },
  })
// Re-renders the app if messages arrive after their keys were displayed. Other namespaces are added often and must not cause a re-render.
i18n.store.on('added', (_, namespace) => missedNamespaces.has(namespace) && i18n.emit('late'))

/** Adds messages that are bundled with the code that needs them, so that only devices with this code store them. */
export function addMessages(namespace: MessageNamespace, messages: Record<Language, object>): void {
  for (const [language, resources] of Object.entries(messages)) i18n.addResourceBundle(language, namespace, resources)
}

export const getLanguage = (): Language => (i18n.language === 'zh' ? 'zh' : 'en')

/** Joins items as a list in the language of the page: "core, fin" or "core、fin". */
export const joinList = (items: readonly string[]): string => items.join(getLanguage() === 'zh' ? '、' : ', ')

/** Finds the message of a key that is known only at run time, such as a problem code. Returns null if the message is missing. */
export function findMessage(namespace: MessageNamespace, key: string): string | null {
  const message: unknown = i18n.getResource(i18n.language, namespace, key)
  if (typeof message === 'string') return message
  missedNamespaces.add(namespace)
  return null
}

let messageLoader: (namespaces: readonly MessageNamespace[]) => Promise<void> = () => Promise.resolve()
export const setMessageLoader = (loader: typeof messageLoader) => void (messageLoader = loader)
/** Loads messages that are not part of the first page, for code that is loaded later. Never rejects. */
export const loadMessages = (...namespaces: MessageNamespace[]): Promise<void> => messageLoader(namespaces)
