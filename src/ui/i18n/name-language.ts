import { languageOf } from '#domain/text.ts'
import { languageNow } from '#ui/i18n/i18n.ts'

/** For the attribute `lang` of a name that is not in the language of the page: readers and fonts want to know. */
export function langOf(name: string) {
  const lang = languageOf(name)
  return (lang === 'en') === (languageNow() === 'en') ? undefined : lang
}

/** Of a title, which may be a name within words of the page: that is not the name's. */
export function langOfTitle(title: string) {
  const lang = langOf(title)
  return lang === 'zh-Hans' && /[a-z]/i.test(title) ? undefined : lang
}
