/**
 * Stands in for immer in the page's build (vite.config.ts): our reducers answer new states and change none, so its
 * 3.4 kB on the way to the login form would do nothing. A reducer that changes its state instead of answering one is
 * refused by Redux Toolkit itself, because nothing here counts as a draft.
 */
export const isDraft = () => false
export const isDraftable = () => false
export const freeze = <T>(value: T): T => value
export const current = <T>(value: T): T => value
export const original = <T>(value: T): T => value
export const produce = <T>(state: T, recipe: (state: T) => T): T => recipe(state)
