import { getLanguage } from '#ui/i18n/messages.ts'
import { chooseLanguage } from '#app/i18n/page-messages.ts'
import { getOtherLanguage, languageTags } from '#app/i18n/language.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Switches the language. The button names the other language in that language, so that its speakers can read it. */
export function LanguageButton() {
  const { t } = useTranslation('shell')
  const otherLanguage = getOtherLanguage(getLanguage())
  return (
    <button
      type="button"
      className="button plain bar-button language"
      lang={languageTags[otherLanguage]}
      onClick={() => void chooseLanguage(otherLanguage)}
    >
      <Icon name="language" />
      <span>{t('otherLanguage')}</span>
    </button>
  )
}
