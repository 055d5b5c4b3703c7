import { chooseLanguage, languageNow } from '#app/i18n.ts'
import { languageTags } from '#app/language.ts'
import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'

/** Says the other language in itself, so that whoever needs it can read it. */
export function Language() {
  const t = useWords('shell')
  const other = languageNow() === 'en' ? 'zh' : 'en'
  return (
    <button
      type="button"
      className="button plain bar-button language"
      lang={languageTags[other]}
      onClick={() => void chooseLanguage(other)}
    >
      <Icon name="language" />
      <span>{t('otherLanguage')}</span>
    </button>
  )
}
