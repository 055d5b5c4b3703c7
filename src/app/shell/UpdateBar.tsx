import { useEffect, useState } from 'react'
import { whenIdle } from '#app/idle.ts'
import { Button } from '#ui/Button.tsx'
import { useWords } from '#ui/words.ts'

/** A new build waits. It takes over only when asked: a reload would take what is being typed (P-15). */
export function UpdateBar() {
  const t = useWords('shell')
  const [state, setState] = useState<'none' | 'ready' | 'applying' | 'later'>('none')
  useEffect(() => {
    let stop: (() => void) | undefined
    let gone = false
    void whenIdle()
      .then(() => import('#app/worker.ts'))
      .then(({ onUpdateReady }) => {
        if (!gone) stop = onUpdateReady(() => setState('ready'))
      })
    return () => {
      gone = true
      stop?.()
    }
  }, [])
  const apply = () => {
    setState('applying')
    void import('#app/worker.ts').then(({ applyUpdate }) => applyUpdate())
  }
  const shown = state === 'ready' || state === 'applying'
  return (
    <div role="status" className={shown ? 'update' : undefined}>
      {shown && (
        <>
          <p>{t('update.ready')}</p>
          <Button kind="primary" busy={state === 'applying'} onClick={apply}>
            {t('update.reload')}
          </Button>
          <Button onClick={() => setState('later')}>{t('update.later')}</Button>
        </>
      )}
    </div>
  )
}
