/**
 * The i18next instance of the page. Messages are added by whoever draws a page, because only that code knows which
 * namespaces it needs (I-01).
 */
import i18next, { type CustomTypeOptions, type PostProcessorModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { removeDoubleFullStop } from '#domain/text.ts'
import type { Language } from '#domain/accounts/users.ts'

export type MessageNamespace = keyof CustomTypeOptions['resources']

/** Namespaces of which a key was shown for want of its message. */
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
    // Both languages have every key (tests/architecture/languages): nobody should fetch a second language for nothing.
    fallbackLng: false,
    // React escapes (I-05).
    interpolation: { escapeValue: false },
    missingInterpolationHandler: () => '',
    saveMissing: true,
    missingKeyHandler: (_, namespace) => missedNamespaces.add(namespace),
    postProcess: ['oneStop'],
    react: { useSuspense: false, bindI18n: 'languageChanged late' },
  })
// Messages that come after a page has shown their keys are drawn as well; for others, which come by themselves all the time,
// nothing is drawn again.
i18n.store.on('added', (_, namespace) => missedNamespaces.has(namespace) && i18n.emit('late'))

/** For code that brings its messages with it, so that only the devices that have the code store them. */
export function addMessages(namespace: MessageNamespace, messages: Record<Language, object>): void {
  for (const [language, resources] of Object.entries(messages)) i18n.addResourceBundle(language, namespace, resources)
}

export const getLanguage = (): Language => (i18n.language === 'zh' ? 'zh' : 'en')

/** The message of a key that the code does not know, such as a problem's code, without its values; null where there is none. */
export function findMessage(namespace: MessageNamespace, key: string): string | null {
  const message: unknown = i18n.getResource(i18n.language, namespace, key)
  if (typeof message === 'string') return message
  missedNamespaces.add(namespace)
  return null
}

let messageLoader: (namespaces: readonly MessageNamespace[]) => Promise<void> = () => Promise.resolve()
/** Where messages come from is the app's to say. */
export const setMessageLoader = (loader: typeof messageLoader) => void (messageLoader = loader)
/** Brings messages that a page does not begin with, for code that comes later: never rejects. */
export const loadMessages = (...namespaces: MessageNamespace[]): Promise<void> => messageLoader(namespaces)
