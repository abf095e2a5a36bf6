import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
  MantineProvider,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { frEntry as fr } from '#src/lib/entry.fr.ts';
import { optionFilter } from './option-filter.ts';

const accent: MantineColorsTuple = [
  '#eef1ff',
  '#dde2fb',
  '#b9c3f3',
  '#93a2eb',
  '#7b8de6',
  '#5f74e0',
  '#546bdf',
  '#445ac5',
  '#3f55bb',
  '#2f459d',
];

// Neutral greys; Mantine takes inputs and menus from 6, borders from 4.
const dark: MantineColorsTuple = [
  '#d5d7dd',
  '#a9adb8',
  '#8b909c',
  '#62666f',
  '#43464f',
  '#2d2f36',
  '#1e1f23',
  '#17181b',
  '#131417',
  '#0e0f11',
];

const fontFamily = "'Inter Variable', system-ui, sans-serif";

const dialogTitle = {
  fontSize: 16,
  fontWeight: 650,
  lineHeight: 1.35,
  letterSpacing: '-0.01em',
  overflowWrap: 'anywhere',
};

const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  // White text on it has a contrast above 4.5 in both schemes.
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  fontFamily,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontFamily,
    fontWeight: '650',
    sizes: { h1: { fontSize: '20px', lineHeight: '1.3' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  defaultRadius: 'md',
  radius: { md: '6px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Help is under its field (interface guide).
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Button: { defaultProps: { size: 'sm' } },
    // Fields are about customers and recordings: what staff typed elsewhere is no suggestion.
    TextInput: { defaultProps: { size: 'sm', autoComplete: 'off' } },
    Textarea: { defaultProps: { autosize: true } },
    Modal: {
      defaultProps: {
        centered: true,
        transitionProps: { duration: 140 },
        closeButtonProps: { 'aria-label': fr.common.close },
      },
      styles: { title: dialogTitle },
    },
    Drawer: {
      defaultProps: { transitionProps: { duration: 140 }, closeButtonProps: { 'aria-label': fr.common.close } },
      styles: { title: dialogTitle },
    },
    // Enter takes the first option that was found; without one marked, it would submit the form with the former value.
    Select: { defaultProps: { filter: optionFilter, selectFirstOptionOnChange: true } },
    MultiSelect: { defaultProps: { filter: optionFilter, selectFirstOptionOnChange: true } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 120 } } },
    // Its placeholder is a child that is invalid in a menu.
    Menu: { defaultProps: { transitionProps: { duration: 120 }, withInitialFocusPlaceholder: false } },
    Popover: { defaultProps: { transitionProps: { duration: 120 } } },
    // A closed list of every field would be placed, with a layout of its own, when its page is shown. An opened one is
    // scrolled into view before it is placed: at the top of the window, not of the page.
    Combobox: { defaultProps: { keepMounted: false, floatingStrategy: 'fixed' } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
});

// Mantine's greys for hints and errors are below 4.5:1.
const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565a66',
    '--mantine-color-placeholder': '#6a6f7c',
    '--mantine-color-error': '#b42318',
    '--mantine-color-text': '#17181c',
    '--mantine-color-anchor': '#3b50b1',
    '--mantine-color-body': '#ffffff',
    '--mantine-color-default-border': '#cfd1d8',
  },
  dark: {
    '--mantine-color-dimmed': '#a9adb8',
    '--mantine-color-placeholder': '#9095a1',
    '--mantine-color-error': '#ff9b91',
    '--mantine-color-text': '#ececef',
    '--mantine-color-anchor': '#a9b6f5',
    '--mantine-color-body': '#17181b',
    '--mantine-color-default-hover': '#24262b',
    '--mantine-color-default-border': '#43464f',
  },
});

const colorSchemeManager = localStorageColorSchemeManager();

/** The nonce of this page's response: without it the browser refuses generated styles. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

export function AppTheme({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      {children}
    </MantineProvider>
  );
}
