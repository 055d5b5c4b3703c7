import { useEffect, useRef } from 'react'
import { isOffline, type Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

/** A problem with actions and request id (C-12, C-25). Failures are red, a missing connection is amber. */
export function ProblemNote({
  problem,
  title,
  reason,
  onRetry,
  children,
  shouldFocus,
}: {
  problem: Problem | null
  /** The failed action, displayed before the reason: "Update failed." */
  title?: string | undefined
  /** Why the server refused it, in place of the general text of the problem. */
  reason?: string | null | undefined
  onRetry?: (() => void) | undefined
  children?: React.ReactNode
  /** True if the note takes the focus when it appears. */
  shouldFocus?: boolean
}) {
  const { t } = useTranslation('ui')
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (problem && shouldFocus) note.current?.focus()
  }, [problem, shouldFocus])
  if (!problem) return null
  const isOfflineProblem = isOffline(problem)
  return (
    <div
      className={isOfflineProblem ? 'problem offline' : 'problem'}
      role={isOfflineProblem ? 'status' : 'alert'}
      tabIndex={-1}
      ref={note}
    >
      <Icon name={isOfflineProblem ? 'offline' : 'alert'} />
      <div>
        <p>
          {title && <strong>{title} </strong>}
          {reason ?? formatProblem(problem)}
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
