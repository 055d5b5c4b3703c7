import { detectLanguage } from '#domain/text.ts'
import { getLanguage } from '#ui/i18n/messages.ts'

/** Returns the `lang` attribute of a name that is not in the page's language, for screen readers and fonts. */
export function getNameLang(name: string) {
  const lang = detectLanguage(name)
  return (lang === 'en') === (getLanguage() === 'en') ? undefined : lang
}

/** Returns the `lang` attribute of a title. A title with Chinese and Latin letters gets none, because it may contain text of the page. */
export function getTitleLang(title: string) {
  const lang = getNameLang(title)
  return lang === 'zh-Hans' && /[a-z]/i.test(title) ? undefined : lang
}
