import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { importPriceList, type PriceRow, uploadPriceList } from '#contract/prices.ts'
import { getFieldProblems } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { getDisplayName } from '#domain/text.ts'
import { isPriceFileName } from '#domain/checks/price-file-checks.ts'
import { formatDone, showDoneToast } from '#patterns/action-toast.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { getFileFaultText } from '#features/prices/import/file-faults.ts'
import { Differences, type PriceFileContent } from '#features/prices/import/Differences.tsx'
import { PriceFileField } from '#features/prices/import/PriceFileField.tsx'
import { usePriceLists } from '#features/prices/usePriceLists.ts'
import { getPriceListPath } from '#features/prices/paths.ts'
import { priceListsSlice } from '#features/prices/slice.ts'
import { joinList } from '#ui/i18n/messages.ts'

interface Props {
  type: ClientType
  onClose: () => void
}

/** Uploads a .zip file, shows how it differs from a selected list, and imports it after confirmation (M152). */
export function ImportDialog({ type, onClose }: Props) {
  const { t } = useTranslation('prices')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const { lists = [], getListState } = usePriceLists(type)
  const upload = useAction(uploadPriceList)
  const importAction = useAction(importPriceList)
  const [fileName, setFileName] = useState<string | null>(null)
  const [fileContent, setFileContent] = useState<PriceFileContent | null>(null)
  const [fault] = upload.problem ? (getFieldProblems(upload.problem) as AnyFieldProblem[]) : []
  const blockReason = useBlockReason(type, fileContent, lists)

  async function readFile(file: File) {
    setFileName(file.name)
    setFileContent(null)
    importAction.clearProblem()
    // A file with another extension is not sent, because the server would refuse it.
    if (!isPriceFileName(file.name)) return upload.clearProblem()
    const result = await upload.run({ body: { file } })
    if ('output' in result) setFileContent(result.output)
  }
  async function importFile({ list, type: fileType, md5 }: PriceFileContent) {
    const recordName = getDisplayName({ ...list, type: fileType }) ?? undefined
    const result = await importAction.run({ body: { md5 } }, recordName === undefined ? {} : { recordName })
    if (result.kind === 'problem') return
    const createdList = 'output' in result ? result.output : null
    showDoneToast(result, formatDone(t('act.import')))
    onClose()
    if (!createdList) return
    dispatch(priceListsSlice.rowCreated(createdList.id))
    void navigate(getPriceListPath(createdList.id))
  }
  return (
    <Dialog
      open
      isWide
      title={t('import.title')}
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isBusy={importAction.isBusy}
          disabledReason={fileContent ? blockReason : t('import.choose')}
          onClick={() => fileContent && void importFile(fileContent)}
        >
          {t('act.import')}
        </Button>
      }
    >
      <div className="price-import">
        <p>{t('import.lead')}</p>
        <PriceFileField
          fileName={fileName}
          refusalText={fault ? getFileFaultText(t, fault) : null}
          onFile={(file) => void readFile(file)}
        />
        <ProblemNote problem={importAction.problem ?? (fault ? null : upload.problem)} title={t('import.failed')} />
        {upload.isBusy && <Skeleton lines={3} />}
        {fileContent && (
          <>
            <p role="status">
              {t('import.holds', {
                day: fileContent.effective_date,
                desc: fileContent.desc,
                count: fileContent.module.length,
              })}
            </p>
            {blockReason && (
              <p className="price-warning" role="alert">
                {blockReason}
              </p>
            )}
            <Differences {...{ fileContent, lists, getListState }} />
          </>
        )}
      </div>
    </Dialog>
  )
}

/** Returns why the list in the file cannot be imported now. Returns null if it can, or if there is no file. */
function useBlockReason(type: ClientType, fileContent: PriceFileContent | null, lists: readonly PriceRow[]) {
  const { t } = useTranslation('prices')
  const offlineReason = useOfflineReason(t('needsConnection'))
  if (!fileContent) return null
  const { effective_date: day, unknown: unknownCodes } = fileContent
  if (offlineReason) return offlineReason
  if (fileContent.type !== type) return t('import.otherType', { type: fileContent.type })
  if (unknownCodes.length > 0) return t('import.unknown', { codes: joinList(unknownCodes) })
  const isDayTaken = lists.some((row) => !row.withdrawn && row.effective_date === day)
  return isDayTaken ? t('import.taken', { day }) : null
}
