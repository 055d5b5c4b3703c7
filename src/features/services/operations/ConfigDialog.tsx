import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { LeaveQuestion, useHistoryGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { parseMemory, taskCounts } from '#features/services/operations/parse-memory.ts'
import { useServiceOperation } from '#features/services/operations/useServiceOperation.ts'
import { useOfflineReason } from '#features/services/useOfflineReason.ts'
import type { ServiceOperationRequest } from '#features/services/slice.ts'

interface ConfigDialogProps {
  row: ServiceRow
  onClose: () => void
  onDone: (operation: ServiceOperationRequest, intent: Intent) => void
}

/**
 * Memory and number of tasks (M118), each with what it means. It stays until the host has taken what was typed: a host without so much
 * memory says so beside the field.
 */
export function ConfigDialog({ row, onClose, onDone }: ConfigDialogProps) {
  const { t } = useTranslation('services')
  const formId = useId()
  const disabledReason = useOfflineReason()
  const [isRunning, setRunning] = useState(false)
  const [refusal, setRefusal] = useState<Problem | null>(null)
  const isOpenRef = useRef(true)
  useEffect(() => {
    isOpenRef.current = true
    return () => void (isOpenRef.current = false)
  }, [])
  const { isBusy, problem, run } = useServiceOperation({
    row,
    onStarted: () => setRunning(true),
    onDone(operation, intent) {
      if (isOpenRef.current) onClose()
      onDone(operation, intent)
    },
    onRefused(newRefusal) {
      if (!isOpenRef.current) return false
      setRunning(false)
      setRefusal(newRefusal)
      if (newRefusal.code === 'NO_MEMORY') focusMemory()
      return true
    },
  })
  const [memory, setMemory] = useState(String(row.task_runtime_memory))
  const [tasks, setTasks] = useState(row.task_desire_count)
  const [isInvalid, setIsInvalid] = useState(false)
  const [initialRow] = useState(row)
  const isDirty = memory !== String(initialRow.task_runtime_memory) || tasks !== initialRow.task_desire_count
  const [leaveStep, setLeaveStep] = useHistoryGuard(isDirty)
  const close = () => (isDirty && !isBusy ? setLeaveStep({ go: onClose }) : onClose())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const memoryMb = parseMemory(memory)
    setIsInvalid(memoryMb === null)
    if (memoryMb === null) return focusMemory()
    if (disabledReason || isBusy) return
    setRefusal(null)
    run({ kind: 'configure', id: row.id, memory: memoryMb, tasks })
  }
  const lacksMemory = refusal?.code === 'NO_MEMORY'
  const memoryFault = isInvalid ? t('config.memoryWrong') : lacksMemory ? formatProblem(refusal) : null
  const submitButton = (
    <Button kind="primary" type="submit" form={formId} isBusy={isBusy} disabledReason={disabledReason}>
      {t('config.save')}
    </Button>
  )
  const leaveQuestion = leaveStep && <LeaveQuestion onStay={() => setLeaveStep(null)} onLeave={onClose} />
  return (
    <Dialog
      open
      title={t('config.title', { code: row.code })}
      onClose={close}
      action={submitButton}
      cancel={isRunning ? t('config.close') : undefined}
      question={leaveQuestion}
    >
      <form id={formId} className="form service-config" noValidate onSubmit={submit}>
        <ProblemNote problem={problem ?? (lacksMemory ? null : refusal)} title={t('failed.configure')} shouldFocus />
        <Field
          name="memory"
          size="figures"
          label={t('config.memory')}
          help={t('config.memoryHelp')}
          error={memoryFault}
          inputMode="numeric"
          autoComplete="off"
          value={memory}
          onChange={({ target }) => {
            setMemory(target.value)
            setRefusal(null)
            if (isInvalid) setIsInvalid(parseMemory(target.value) === null)
          }}
        />
        <SelectField
          name="tasks"
          label={t('config.tasks')}
          help={t('config.tasksHelp')}
          options={taskCounts.map((count) => ({ value: count, label: t(`config.task.${count}`) }))}
          value={tasks}
          onChange={({ target }) => {
            setTasks(taskCounts.find((count) => String(count) === target.value) ?? -1)
            setRefusal(null)
          }}
        />
        <p className="field-help">{t('config.note')}</p>
        {disabledReason && <p className="field-help">{disabledReason}</p>}
        <p className="field-help" role="status">
          {isRunning && t('config.running')}
        </p>
      </form>
    </Dialog>
  )
}

const focusMemory = () => document.querySelector<HTMLElement>('[name=memory]')?.focus()
