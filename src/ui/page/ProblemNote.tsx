import { useEffect, useRef } from 'react'
import { isOffline, type Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'

/**
 * What went wrong, in words, with what can be done about it and the number to name when asking for help (C-12, C-25). Red is what
 * failed: without a connection nothing has, and it is said in the amber of what waits.
 */
export function ProblemNote({
  problem,
  title,
  onRetry,
  children,
  focus,
}: {
  problem: Problem | null
  /** What did not succeed, before why: "Update failed." */
  title?: string | undefined
  onRetry?: (() => void) | undefined
  /** A further way out: a link, a button. */
  children?: React.ReactNode
  /** Takes the focus when it appears, where no field is to blame. */
  focus?: boolean
}) {
  const { t } = useTranslation('ui')
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (problem && focus) note.current?.focus()
  }, [problem, focus])
  if (!problem) return null
  const offline = isOffline(problem)
  return (
    <div
      className={offline ? 'problem offline' : 'problem'}
      role={offline ? 'status' : 'alert'}
      tabIndex={-1}
      ref={note}
    >
      <Icon name={offline ? 'offline' : 'alert'} />
      <div>
        <p>
          {title && <strong>{title} </strong>}
          {problemWords(problem)}
        </p>
        {problem.requestId && (
          <details className="problem-id">
            <summary>{t('problem.details')}</summary>
            {t('problem.requestId')} <CopyText text={problem.requestId} />
          </details>
        )}
        {(children || onRetry) && (
          <div className="problem-ways">
            {children}
            {onRetry && (
              <Button icon="refresh" onClick={onRetry}>
                {t('problem.retry')}
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  )
}
