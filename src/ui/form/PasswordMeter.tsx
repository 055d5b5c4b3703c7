import '#ui/form/forms.css'
import { useId } from 'react'
import { ratePassword, passwordStrengths } from '#domain/accounts/password-strength.ts'
import { useTranslation } from 'react-i18next'

/** `guessableTexts` are texts that an attacker would try first, such as name and e-mail. */
export function PasswordMeter({ password, guessableTexts }: { password: string; guessableTexts: readonly string[] }) {
  const { t } = useTranslation('passwords')
  const id = useId()
  const strength = ratePassword(password, guessableTexts)
  const level = passwordStrengths.indexOf(strength)
  return (
    <div className={`meter ${password === '' ? '' : strength}`} role="group" aria-labelledby={id}>
      <span className="sr-only" id={id}>
        {t('strength')}
      </span>
      <div className="meter-bars" aria-hidden="true">
        {passwordStrengths.map((strengthName, index) => (
          <span key={strengthName} className={password !== '' && index <= level ? 'on' : ''} />
        ))}
      </div>
      {/* Announced politely (`status`), so that screen readers read it when the user stops typing. */}
      <p role="status">{password === '' ? t('advice') : t(strength)}</p>
    </div>
  )
}
