import { useEffect, useState } from 'react'
import type { Id } from '#contract/endpoint.ts'
import { getPriceList, type PriceRow, priceListsFills } from '#contract/prices.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import type { WholeList } from '#features/prices/price-list-form.ts'
import { askPriceList } from '#features/prices/slice.ts'

export type MissedList = 'unknown' | 'notHere' | Problem

export interface Opened {
  shown: OverlaidRow<PriceRow>
  /** With what waits on this device laid over it. */
  whole: WholeList
}

/**
 * The list as it stood when the page opened: as the server says it, or without a line as this device kept it, with what waits here
 * laid over it. What comes in meanwhile must not change a form under its user's hands. Undefined: not known yet.
 */
export function useOpenedList(id: Id | null, round: number): Opened | MissedList | undefined {
  const { line } = useConnection()
  const dispatch = useDispatch()
  const [found, setFound] = useState<{ of: string; line: string; opened: Opened | MissedList }>()
  const of = `${id} ${round}`
  useEffect(() => {
    // What was not found is asked for again when the line is another.
    if (id === null || (found?.of === of && ('whole' in Object(found.opened) || found.line === line))) return
    let counts = true
    const open = async () => {
      const row = await readRow<PriceRow>(priceListsFills.table, id)
      const at = row?.row.id ?? id
      const opened = await ask(at, row)
      if (counts) setFound({ of, line, opened })
    }
    const ask = async (at: Id, row: OverlaidRow<PriceRow> | null): Promise<Opened | MissedList> => {
      // One that waits to be made says all of itself.
      if (typeof at === 'string') return row ? { shown: row, whole: row.row as unknown as WholeList } : 'unknown'
      const result = await dispatch(askPriceList(at))
      if (result.kind === 'problem' && result.problem.status === 404) return 'unknown'
      const whole = await readAnswer(getPriceList, { params: { id: at } })
      if (!whole) return result.kind === 'problem' && !isOffline(result.problem) ? result.problem : 'notHere'
      const { waiting } = (await readRow<PriceRow>(priceListsFills.table, at)) ?? { waiting: null }
      return waiting && row
        ? { shown: { ...row, waiting }, whole: { ...whole, ...(row.row as object) } }
        : { shown: { row: headerOf(whole), waiting: null }, whole }
    }
    void open()
    return () => void (counts = false)
  }, [id, of, found, dispatch, line])
  return found?.of === of ? found.opened : undefined
}

function headerOf({ concurrentUser: _c, namedUser: _n, module: _m, pdbPrice: _p, ...header }: WholeList): PriceRow {
  return header
}
