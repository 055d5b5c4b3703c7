import { createAction } from '@reduxjs/toolkit'
import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { Router } from 'react-router-dom'
import { expect, it } from 'vitest'
import { usersFills } from '#contract/users.ts'
import { StoreProvider } from '#state/hooks.ts'
import { changeListing, type Listing, readListing, writeListing } from '#state/list-url.ts'
import { type Extra, makeStore } from '#state/store.ts'
import { useListing } from '#state/use-list-url.ts'

const ways = {
  read: (query: URLSearchParams) => readListing(query, usersFills),
  write(view: Listing) {
    const query = new URLSearchParams()
    writeListing(query, view, usersFills)
    return query
  },
  change: (view: Listing, change: Partial<Listing>) => changeListing(view, change),
  remembered: () => '',
}
const slice = {
  selectSavedQuery: () => '',
  viewChanged: createAction<string, 'users/viewChanged'>('users/viewChanged'),
}

it('is what was chosen before the address has moved, and what the address says after a step back that came sooner', () => {
  const store = makeStore({} as Extra)
  const asked: unknown[] = []
  // A router that has not got there yet.
  const navigator = { push: (to: unknown) => asked.push(to), replace() {}, go() {}, createHref: String }
  const wrapper = ({ children }: { children: ReactNode }) => (
    <StoreProvider store={store}>
      <Router location="/app/user?page=2" navigator={navigator}>
        {children}
      </Router>
    </StoreProvider>
  )
  const { result } = renderHook(() => useListing(ways, slice), { wrapper })
  act(() => result.current.change({ sort: ['status', 'desc'] }))
  expect(asked).toMatchObject([{ search: '?sortField=status&sortOrder=desc' }])
  expect(result.current.view).toMatchObject({ sort: ['status', 'desc'], page: 1 })
  act(() => void dispatchEvent(new PopStateEvent('popstate')))
  expect(result.current.view).toMatchObject({ sort: ['name', 'asc'], page: 2 })
})
