import { languageNow } from '#ui/i18n/i18n.ts'
import { chooseLanguage } from '#app/i18n/i18n.ts'
import { languageTags } from '#app/i18n/language.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Says the other language in itself, so that whoever needs it can read it. */
export function Language() {
  const { t } = useTranslation('shell')
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
