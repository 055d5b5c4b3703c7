import { useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import en from '#locales/en/sessions.json' with { type: 'json' }
import zh from '#locales/zh/sessions.json' with { type: 'json' }
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { i18n } from '#ui/i18n/messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { endSessionsOfUser } from '#features/users/end-sessions.ts'

// They travel with this code, which no list waits for and no device keeps.
i18n.addResourceBundle('en', 'sessions', en)
i18n.addResourceBundle('zh', 'sessions', zh)

/** Apart from the form: nothing of the user is changed, and nothing of it waits for a line. */
export function EndSessionsSection({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('sessions')
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function handleEnd() {
    setIsBusy(true)
    const result = await dispatch(endSessionsOfUser(id))
    setIsBusy(false)
    setProblem(result.kind === 'problem' ? result.problem : null)
    if (result.kind !== 'problem') showToast({ kind: 'done', text: t('admin.ended', { name }) })
  }
  return (
    <fieldset className="user-group">
      <legend>{t('admin.title')}</legend>
      <ProblemNote problem={problem} title={t('admin.failed')} shouldFocus />
      <p className="field-help">{t('admin.text')}</p>
      <Button isBusy={isBusy} onClick={() => void handleEnd()}>
        {t('admin.end')}
      </Button>
    </fieldset>
  )
}
