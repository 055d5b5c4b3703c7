import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OutputOf } from '#contract/endpoint.ts'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import { importStatement, maxStatementSize } from '#contract/staff/bank-transfers.ts'
import { parseStatementFault } from '#domain/checks/statement-faults.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { mayHaveTakenEffect } from '#features/money/forms/useMoneyForm.ts'
import { readStatementFile, type StatementFile } from '#features/money/transfers/decode-statement.ts'
import { StatementDrop } from '#features/money/transfers/StatementDrop.tsx'

interface ImportDialogProps {
  onClose: () => void
  /** Called after each import, also if it is unknown whether it took effect. The dialog stays open for its result. */
  onImported: () => void
}

/** Imports the received transfers of a bank statement. A statement can be imported again: known entries are skipped. */
export function ImportDialog({ onClose, onImported }: ImportDialogProps) {
  const { t } = useTranslation('bank-transfers')
  const [file, setFile] = useState<StatementFile | null>(null)
  const [output, setOutput] = useState<OutputOf<typeof importStatement> | null>(null)
  const { isBusy, problem, run, clearProblem } = useAction(importStatement)
  const unsendableReason = useUnsendableReason(t('offline'))
  const statement = file?.kind === 'statement' ? file : null
  const fileFault = useFileFault(file)
  const formatFault = useStatementFault()
  const contentFault = formatFault(problem)

  async function choose(chosenFile: File) {
    clearProblem()
    setOutput(null)
    setFile(await readStatementFile(chosenFile))
  }
  async function send() {
    if (!statement) return
    const { name, content } = statement
    const result = await run({ body: { name, content } })
    if (result.kind === 'fresh') setOutput(result.output)
    if (result.kind !== 'problem' || mayHaveTakenEffect(result.problem)) onImported()
  }
  const sendButton = output ? undefined : (
    <Button
      kind="primary"
      isBusy={isBusy}
      disabledReason={unsendableReason ?? (statement ? null : t(file ? 'import.chooseOther' : 'import.choose'))}
      onClick={() => void send()}
    >
      {t('import.send')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('import.title')}
      onClose={onClose}
      action={sendButton}
      cancel={output ? t('import.close') : undefined}
    >
      <div className="form">
        <p>{t('import.text')}</p>
        <StatementDrop
          fileName={file?.name ?? null}
          faultText={fileFault ?? contentFault}
          isDisabled={isBusy}
          onFile={(chosenFile) => void choose(chosenFile)}
        />
        {contentFault === null && <ImportProblem problem={problem} />}
        {output && <ImportOutput output={output} />}
        {unsendableReason && <p className="field-help">{unsendableReason}</p>}
      </div>
    </Dialog>
  )
}

function ImportProblem({ problem }: { problem: Problem | null }) {
  const { t } = useTranslation('bank-transfers')
  const isUnknown = problem !== null && mayHaveTakenEffect(problem)
  return <ProblemNote problem={problem} title={t(isUnknown ? 'import.unknown' : 'import.failed')} shouldFocus />
}

/** Returns why the file cannot be sent, or null. */
function useFileFault(file: StatementFile | null): string | null {
  const { t } = useTranslation('bank-transfers')
  return file?.kind === 'fault' ? t(`import.fault.${file.fault}`, { limit: formatNumber(maxStatementSize) }) : null
}

function ImportOutput({ output: { added, known: knownCount, skipped } }: { output: OutputOf<typeof importStatement> }) {
  const { t } = useTranslation('bank-transfers')
  const lines = [
    t('import.added', { count: added, number: formatNumber(added) }),
    knownCount > 0 && t('import.known', { count: knownCount, number: formatNumber(knownCount) }),
    skipped > 0 && t('import.skipped', { count: skipped, number: formatNumber(skipped) }),
  ].filter((line) => line !== false)
  return (
    <div className="money-result" role="status">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  )
}

/** Returns the text of a fault in the file, with its line and column. Null for another problem. */
function useStatementFault() {
  const { t } = useTranslation('statements')
  return (problem: Problem | null): string | null => {
    const fieldProblem = problem && getFieldProblems(problem).find(({ field }) => field === 'content')
    if (!fieldProblem) return null
    const fault = parseStatementFault(fieldProblem.named ?? '')
    // Characters that no text has, such as those of a spreadsheet.
    if (!fault) return t('fault.UNKNOWN_FORMAT')
    return t(`fault.${fault.code}`, { line: fault.line ?? '', column: fault.column ?? '' })
  }
}
