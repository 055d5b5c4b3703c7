import '#features/accounts/factor-words.ts'
import { useEffect, useState } from 'react'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { readOwnFactors } from '#features/accounts/factors-api.ts'

/** Whether a second step is asked for at the login, and the way to switch it on: only the server knows. */
export function TwoStepReport() {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const [factorCount, setFactorCount] = useState<number | null>(null)
  useEffect(() => {
    if (!isOnline) return
    void dispatch(readOwnFactors()).then((result) => {
      if (result.kind === 'fresh') setFactorCount(result.output.factors.length)
    })
  }, [dispatch, isOnline])
  return (
    <div className="home-item">
      <Icon name={factorCount === 0 ? 'alert' : 'lock'} />
      <span className="home-words">
        <strong>{t(factorCount === null ? 'home.title' : factorCount === 0 ? 'home.off' : 'home.on')}</strong>
        <span>
          {factorCount === null
            ? isOnline
              ? ''
              : t('offline')
            : t(factorCount === 0 ? 'home.offText' : 'home.onText')}
        </span>
      </span>
      <ButtonLink to="/app/profile/security">{t(factorCount === 0 ? 'home.switchOn' : 'home.look')}</ButtonLink>
    </div>
  )
}
