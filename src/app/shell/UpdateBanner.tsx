import { useEffect, useState } from 'react'
import { applyUpdate, onUpdate, putOff as stopWaiting, type Update } from '#app/pwa/update-flow.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/** A new build waits. It takes over only when asked: a reload would take what is being typed (P-15). */
export function NewBuild() {
  const { t } = useTranslation('shell')
  const [now, setNow] = useState<Update>({ kind: 'none' })
  const [later, setLater] = useState(false)
  useEffect(() => onUpdate(setNow), [])
  const shown = now.kind !== 'none' && !(later && now.kind === 'ready' && !now.forced)
  const putOff = () => {
    setLater(true)
    stopWaiting()
  }
  return (
    <div role="status" className={shown ? 'update' : undefined}>
      {shown && (
        <>
          <p>{t(`update.${wordOf(now)}`)}</p>
          <Button
            kind="primary"
            busy={now.kind === 'applying' || now.kind === 'held'}
            onClick={() => void applyUpdate()}
          >
            {t('update.reload')}
          </Button>
          {!now.forced && (now.kind === 'ready' || now.kind === 'held') && (
            <Button onClick={putOff}>{t('update.later')}</Button>
          )}
        </>
      )}
    </div>
  )
}

function wordOf(now: Exclude<Update, { kind: 'none' }>) {
  if (now.kind === 'held') return now.by
  return now.kind === 'ready' && now.forced ? 'forced' : now.kind
}
