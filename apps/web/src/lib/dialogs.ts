/** Whether a dialog is open: single keys and Ctrl+K then belong to it. */
export const isDialogOpen = () => document.querySelector('dialog, [role="dialog"], [role="alertdialog"]') !== null;
