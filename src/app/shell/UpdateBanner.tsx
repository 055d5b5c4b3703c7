import { useEffect, useState } from 'react'
import { applyUpdate, subscribeToUpdate, postponeUpdate, type UpdateState } from '#app/pwa/update-flow.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/**
 * Announces a waiting build. Unless the server requires it, it is activated only with consent, because a reload would lose unsaved input
 * (P-15).
 */
export function UpdateBanner() {
  const { t } = useTranslation('shell')
  const [update, setUpdate] = useState<UpdateState>({ kind: 'none' })
  const [isPostponed, setIsPostponed] = useState(false)
  useEffect(() => subscribeToUpdate(setUpdate), [])
  const isShown = update.kind !== 'none' && !(isPostponed && update.kind === 'ready' && !update.isForced)
  const postpone = () => {
    setIsPostponed(true)
    postponeUpdate()
  }
  return (
    <div role="status" className={isShown ? 'update' : undefined}>
      {isShown && (
        <>
          <p>{t(`update.${getMessageKey(update)}`)}</p>
          <Button
            kind="primary"
            isBusy={update.kind === 'applying' || update.kind === 'held'}
            onClick={() => void applyUpdate()}
          >
            {t('update.reload')}
          </Button>
          {!update.isForced && (update.kind === 'ready' || update.kind === 'held') && (
            <Button onClick={postpone}>{t('update.later')}</Button>
          )}
        </>
      )}
    </div>
  )
}

function getMessageKey(update: Exclude<UpdateState, { kind: 'none' }>) {
  if (update.kind === 'held') return update.reason
  return update.kind === 'ready' && update.isForced ? 'forced' : update.kind
}
