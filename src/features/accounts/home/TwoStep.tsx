import '#features/accounts/factor-words.ts'
import { useEffect, useState } from 'react'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { readOwnFactors } from '#features/accounts/factors-api.ts'

/** Whether a second step is asked for at the login, and the way to switch it on: only the server knows. */
export function TwoStep() {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const isOnline = useConnection().line === 'online'
  const [count, setCount] = useState<number | null>(null)
  useEffect(() => {
    if (!isOnline) return
    void dispatch(readOwnFactors()).then((result) => {
      if (result.kind === 'fresh') setCount(result.output.factors.length)
    })
  }, [dispatch, isOnline])
  return (
    <div className="home-item">
      <Icon name={count === 0 ? 'alert' : 'lock'} />
      <span className="home-words">
        <strong>{t(count === null ? 'home.title' : count === 0 ? 'home.off' : 'home.on')}</strong>
        <span>{count === null ? (isOnline ? '' : t('offline')) : t(count === 0 ? 'home.offText' : 'home.onText')}</span>
      </span>
      <ButtonLink to="/app/profile/security">{t(count === 0 ? 'home.switchOn' : 'home.look')}</ButtonLink>
    </div>
  )
}
