import { useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import en from '#locales/en/sessions.json' with { type: 'json' }
import zh from '#locales/zh/sessions.json' with { type: 'json' }
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { i18n } from '#ui/i18n/i18n.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { endSessionsOf } from '#features/users/end-sessions.ts'

// They travel with this code, which no list waits for and no device keeps.
i18n.addResourceBundle('en', 'sessions', en)
i18n.addResourceBundle('zh', 'sessions', zh)

/** Apart from the form: nothing of the user is changed, and nothing of it waits for a line. */
export function EndSessions({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('sessions')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function end() {
    setBusy(true)
    const result = await dispatch(endSessionsOf(id))
    setBusy(false)
    setProblem(result.kind === 'problem' ? result.problem : null)
    if (result.kind !== 'problem') showToast({ kind: 'done', text: t('admin.ended', { name }) })
  }
  return (
    <fieldset className="user-group">
      <legend>{t('admin.title')}</legend>
      <ProblemNote problem={problem} title={t('admin.failed')} focus />
      <p className="field-help">{t('admin.text')}</p>
      <Button busy={busy} onClick={() => void end()}>
        {t('admin.end')}
      </Button>
    </fieldset>
  )
}
