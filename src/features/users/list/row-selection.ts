/** Which users are chosen on the list: it goes on over pages and orders, and ends with the filter it was made under. */
import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { Id } from '#contract/endpoint.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'

export interface Picked {
  ids: readonly Id[]
  /** Where a stretch begins that is chosen with Shift. */
  from: Id | null
}

const initialState: Picked = { ids: [], from: null }

export const picked = createSlice({
  name: 'pickedUsers',
  initialState,
  reducers: {
    chosen: ({ ids }, { payload }: PayloadAction<{ ids: readonly Id[]; on: boolean }>): Picked => {
      const others = ids.filter((id) => !payload.ids.includes(id))
      return { ids: payload.on ? [...others, ...payload.ids] : others, from: payload.ids.at(-1) ?? null }
    },
    ended: () => initialState,
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => initialState),
})

const own = picked.injectInto(root)
export const selectPicked = (state: object): Picked => own.selectSlice(state)
export const { chosen, ended } = picked.actions

/** What lies between two rows of a page, both included; the second alone where the first is not on it. */
export function stretch(page: readonly Id[], from: Id | null, to: Id): readonly Id[] {
  const [start, end] = [from === null ? -1 : page.indexOf(from), page.indexOf(to)]
  if (start < 0 || end < 0) return [to]
  const between = page.slice(Math.min(start, end), Math.max(start, end) + 1)
  // What was asked for comes last: the next stretch begins there.
  return [...between.filter((id) => id !== to), to]
}
