import '#features/accounts/factor-words.ts'
import { getFactors } from '#contract/factors.ts'
import { useConnection } from '#state/use-store.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { useOnlineResponse } from '#state/use-online-response.ts'

/** Shows whether the login needs a second factor, with a link to switch it on. Only the server knows the state. */
export function TwoStepReport() {
  const { t } = useTranslation('factors')
  const isOnline = useConnection().networkState === 'online'
  const { response } = useOnlineResponse(getFactors, {}, !isOnline)
  const state = response ? (response.factors.length === 0 ? 'off' : 'on') : 'unknown'
  const { title, text } = {
    unknown: { title: t('home.title'), text: isOnline ? '' : t('offline') },
    off: { title: t('home.off'), text: t('home.offText') },
    on: { title: t('home.on'), text: t('home.onText') },
  }[state]
  return (
    <div className="home-item">
      <Icon name={state === 'off' ? 'alert' : 'lock'} />
      <span className="home-words">
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
      <ButtonLink to="/app/profile/security">{t(state === 'off' ? 'home.switchOn' : 'home.look')}</ButtonLink>
    </div>
  )
}
