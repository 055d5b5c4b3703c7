import { detectLanguage } from '#domain/text.ts'
import { getLanguage } from '#ui/i18n/messages.ts'

/** Value of the `lang` attribute for a name that is not in the page's language, for screen readers and fonts. */
export function getNameLang(name: string) {
  const lang = detectLanguage(name)
  return (lang === 'en') === (getLanguage() === 'en') ? undefined : lang
}

/** For a title, which may be a name inside text of the page. Such a mixed title gets no `lang`. */
export function getTitleLang(title: string) {
  const lang = getNameLang(title)
  return lang === 'zh-Hans' && /[a-z]/i.test(title) ? undefined : lang
}
