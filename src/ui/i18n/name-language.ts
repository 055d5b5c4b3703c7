import { detectLanguage } from '#domain/text.ts'
import { getLanguage } from '#ui/i18n/messages.ts'

/** For the attribute `lang` of a name that is not in the language of the page: readers and fonts want to know. */
export function getNameLang(name: string) {
  const lang = detectLanguage(name)
  return (lang === 'en') === (getLanguage() === 'en') ? undefined : lang
}

/** Of a title, which may be a name within words of the page: that is not the name's. */
export function getTitleLang(title: string) {
  const lang = getNameLang(title)
  return lang === 'zh-Hans' && /[a-z]/i.test(title) ? undefined : lang
}
